// A computer of the researchers, at which one participant follows the other: the researcher's page says so,
// and the participant's page, in the same browser, then lets the next one begin.

const KEY = "popout-own-machine";

export function isOwnMachine(): boolean {
  return localStorage.getItem(KEY) === "yes";
}

export function setOwnMachine(own: boolean): void {
  if (own) localStorage.setItem(KEY, "yes");
  else localStorage.removeItem(KEY);
}
