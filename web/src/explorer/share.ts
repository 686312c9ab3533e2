// The figure for others: as a link, and as text for other tools.

import { h } from "../dom";
import { toAddress, type State } from "./state";
import { asCommand, asPython, asToml } from "./words";

const FORMS: { name: string; words: string; text: (state: State) => string }[] = [
  { name: "Link", words: "Opens this page as it is now.", text: (state) => new URL(toAddress(state) || "?", location.origin + location.pathname).href },
  { name: "Python", words: "Gives the numbers of this page.", text: asPython },
  { name: "Command", words: "The same trials from a terminal, without non-decision time; an optimum is solved more finely.", text: asCommand },
  { name: "TOML", words: "A task file, for popout analyse, evidence and sweep.", text: asToml },
];

/** A button that opens a dialogue with every form of the state. */
export function shareButton(state: () => State): HTMLElement {
  const parts = h("div", { class: "forms" });
  const dialog = h(
    "dialog",
    { class: "share", "aria-labelledby": "share-title" },
    h("header", {}, h("h2", { id: "share-title" }, "This figure, elsewhere"),
      h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close")),
    parts,
  );
  const open = (): void => {
    parts.replaceChildren(...FORMS.map((form) => part(form.name, form.words, form.text(state()))));
    dialog.showModal();
  };
  const button = h("button", { type: "button", onclick: open, "aria-haspopup": "dialog" }, "Copy as…");
  document.body.append(dialog);
  return button;
}

function part(name: string, words: string, text: string): HTMLElement {
  const id = `share-${name.toLowerCase()}`;
  const area = h("textarea", { id, readonly: true, rows: text.trimEnd().split("\n").length, spellcheck: "false" }, text.trimEnd());
  const button = h("button", { type: "button", onclick: () => void copy() }, `Copy ${name}`);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      area.select(); // without a secure connection the reader copies by hand
      return;
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = `Copy ${name}`), 1500);
  }
  return h("section", {}, h("div", { class: "form-head" }, h("label", { for: id }, h("b", {}, name), ` ${words}`), button), area);
}
