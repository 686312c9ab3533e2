// Elements, made without any text that is parsed as HTML: nothing typed by anyone becomes markup.

export type Child = Node | string | null | undefined | false;

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

/** Make an element: `on...` functions listen, true and false switch attributes, null leaves them out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child != null && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A small icon from one path on a grid of 16 by 16. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const drawn = document.createElementNS(SVG, "path");
  drawn.setAttribute("d", path);
  svg.append(drawn);
  return svg;
}

export const ICONS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  step: "M3 2.5h2.6v11H3zM7.2 2.5v11l6.3-5.5z",
  next: "M3 2.5v11l7-5.5zM11 2.5h2v11h-2z",
  sun: "M8 4.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8zM7.4 0h1.2v3H7.4zM7.4 13h1.2v3H7.4zM0 7.4h3v1.2H0zM13 7.4h3v1.2h-3zM2 2.9l.9-.9 2 2.1-.8.9zM11 11.9l.9-.8 2 2-.8.9zM2 13.1l2.1-2 .8.8-2 2.1zM11.1 4.1l2-2.1.9.9-2.1 2z",
  moon: "M6.2 1.2a7 7 0 1 0 8.6 8.6A5.8 5.8 0 0 1 6.2 1.2z",
};

/** Make a plot one picture with one description; the names of its parts mean nothing to a reader. */
export function asPicture<T extends Element>(plot: T, words: string): T {
  for (const part of plot.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", words);
  return plot;
}

/** Hand a file to the reader. */
export function download(name: string, type: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
