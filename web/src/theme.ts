// Light or dark: as the system says, until the reader says otherwise.

import { h, icon, ICONS } from "./dom";

const KEY = "popout-theme";
export type Theme = "light" | "dark";

function remembered(): Theme | null {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : null;
}

function current(): Theme {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return remembered() ?? system;
}

/** Follow the system or the reader's choice, and return the button that changes it; `label` is its words. */
export function themeButton(label = (other: Theme): string => `Use ${other} colours`): HTMLButtonElement {
  const button = h("button", { type: "button", class: "quiet round", onclick: turn });
  const show = (): void => {
    const theme = current();
    document.documentElement.dataset["theme"] = theme;
    const other = theme === "dark" ? "light" : "dark";
    button.replaceChildren(icon(theme === "dark" ? ICONS.sun : ICONS.moon));
    button.setAttribute("aria-label", label(other));
    button.title = label(other);
  };
  function turn(): void {
    localStorage.setItem(KEY, current() === "dark" ? "light" : "dark");
    show();
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
  return button;
}
