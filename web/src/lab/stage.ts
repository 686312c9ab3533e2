// The page itself: the stage on which screens appear, and the line that speaks of the connection.

import { pause, Refusal } from "../api";
import { h } from "../dom";
import { themeButton } from "../theme";
import type { Mood } from "./sender";
import { say } from "./words/speech";

export const stage = h("div", { id: "stage" });
export const parameters = Object.fromEntries(new URLSearchParams(location.search));

/** Some parameters of the link, for the server. */
export function link(...names: string[]): string {
  const chosen = names.filter((name) => parameters[name] !== undefined).map((name) => [name, parameters[name]!]);
  return chosen.length > 0 ? `?${new URLSearchParams(chosen)}` : "";
}

const connection = h("p", { id: "connection", role: "status" });
const corner = h("div", { class: "corner" });

document.body.append(corner, stage, connection);

/** Say what stays on the page in the language of now. */
export function speakAround(): void {
  corner.replaceChildren(themeButton((other) => say(other === "dark" ? "use_dark" : "use_light")));
}

/** Show a moment of waiting. */
export function wait(words: string): void {
  stage.replaceChildren(h("p", { class: "moment", role: "status" }, words));
}

/** Ask until there is an answer; refusals are handed on, a silent server is asked again. */
export async function insist<T>(question: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await question();
      connection.textContent = "";
      return answer;
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) throw error;
      connection.textContent = say("silent");
      await pause(Math.min(10_000, 500 * 2 ** attempt));
    }
  }
}

/** Say how it goes with sending. */
export function tell(mood: Mood, waiting: number): void {
  document.body.dataset["unsent"] = String(waiting);
  connection.textContent =
    mood === "waiting" ? say("unsent", { count: waiting })
    : mood === "refused" ? say("refused", { count: waiting })
    : "";
}
