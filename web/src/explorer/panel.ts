// A panel: a title that says what is shown, the plot, one line of explanation, and its files.

import { asPicture, download, h } from "../dom";

export type Row = Record<string, string | number | null>;

/** What a panel shows: a drawing for a size, and the numbers behind it. */
export interface Picture {
  draw: (width: number, height: number) => SVGSVGElement;
  rows: Row[];
  words: string;
}

export class Panel {
  readonly element: HTMLElement;
  readonly host = h("div", { class: "host" });
  readonly controls = h("div", { class: "panel-controls" });
  drawn: (svg: SVGSVGElement) => void = () => {};
  private readonly note = h("p", { class: "note" });
  private readonly status = h("div", { class: "status" });
  private readonly files: HTMLButtonElement[];
  private picture: Picture | null = null;
  private size = "";

  constructor(
    private readonly name: string,
    title: string,
    explanation: string,
  ) {
    this.files = [
      h("button", { type: "button", class: "quiet file", "aria-label": `Download “${title}” as SVG`, onclick: () => this.saveSvg() }, "SVG"),
      h("button", { type: "button", class: "quiet file", "aria-label": `Download the numbers of “${title}” as CSV`, onclick: () => this.saveCsv() }, "CSV"),
    ];
    this.note.textContent = explanation;
    this.element = h(
      "section",
      { class: `panel ${name}`, "aria-labelledby": `${name}-title`, "aria-busy": "true" },
      h("header", {}, h("h2", { id: `${name}-title` }, title), h("div", { class: "files" }, ...this.files)),
      this.host,
      this.status,
      this.note,
      this.controls,
    );
    for (const button of this.files) button.disabled = true;
    new ResizeObserver(() => this.fit()).observe(this.host);
  }

  /** Change the line below the plot. */
  explain(words: string): void {
    if (this.note.textContent !== words) this.note.textContent = words;
  }

  /** Show a new picture. */
  show(picture: Picture): void {
    this.picture = picture;
    this.settle();
    for (const button of this.files) button.disabled = false;
    this.size = "";
    this.fit();
  }

  /** Draw what is shown in another way, for instance beside other data; an answer may still be on its way. */
  repaint(picture: Picture): void {
    if (!this.picture) return;
    this.picture = picture;
    this.size = "";
    this.fit();
  }

  /** Say that an answer is on its way; a share and `stop` where it takes longer. */
  wait(share?: number | null, words?: string, stop?: () => void): void {
    this.element.setAttribute("aria-busy", "true");
    this.element.classList.add("stale");
    if (!stop) return;
    const bar = h("progress", { max: 1, "aria-label": "Progress" });
    if (share != null) bar.value = share;
    const button = h("button", { type: "button", class: "stop", onclick: stop }, "Stop");
    const old = this.status.querySelector("progress");
    if (old && this.status.classList.contains("working")) {
      if (share != null) old.value = share;
      this.status.querySelector("span")!.textContent = words ?? "";
      return;
    }
    this.status.className = "status working";
    this.status.replaceChildren(bar, h("span", {}, words ?? ""), button);
  }

  /** Say in words why there is no picture. */
  refuse(words: string, again?: () => void): void {
    this.settle();
    this.picture = null;
    this.host.replaceChildren();
    for (const button of this.files) button.disabled = true;
    this.status.className = "status refused";
    this.status.replaceChildren(h("p", { role: "status" }, words));
    if (again) this.status.append(h("button", { type: "button", onclick: again }, "Compute it"));
  }

  private settle(): void {
    this.element.setAttribute("aria-busy", "false");
    this.element.classList.remove("stale");
    this.status.className = "status";
    this.status.replaceChildren();
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    const size = `${width}x${height}`;
    if (!this.picture || width < 40 || height < 40 || size === this.size) return;
    this.size = size;
    const svg = asPicture(this.picture.draw(width, height), this.picture.words);
    this.host.replaceChildren(svg);
    this.drawn(svg);
  }

  private saveSvg(): void {
    const svg = this.host.querySelector("svg");
    if (svg) download(`popout-${this.name}.svg`, "image/svg+xml", standalone(svg));
  }

  private saveCsv(): void {
    if (this.picture) download(`popout-${this.name}.csv`, "text/csv", asCsv(this.picture.rows));
  }
}

/** Rows as a CSV file, the names of the columns first. */
export function asCsv(rows: Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: string | number | null | undefined): string => {
    const text = value == null ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((line) => line.map(cell).join(",")).join("\n") + "\n";
}

/** A picture that looks the same outside of the page: colours by value, fonts by name. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const page = getComputedStyle(document.documentElement);
  const value = (name: string): string => page.getPropertyValue(name).trim();
  const sheet = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  sheet.setAttribute("width", "100%");
  sheet.setAttribute("height", "100%");
  sheet.setAttribute("fill", value("--panel"));
  copy.prepend(sheet);
  copy.setAttribute("color", value("--ink"));
  const text = new XMLSerializer().serializeToString(copy);
  // In the text, because the policy of the page lets no script write a style.
  return text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => value(name).replaceAll('"', "'"));
}
