// Questions to the server: faults as data, stale answers dropped, progress on the way.

const ROOT = "/api/v1";

export interface Fault {
  path: (string | number)[];
  expected: string;
  got: string;
  remedy: string;
  message: string;
}

/** A refusal of the server, with every fault that it named. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly faults: readonly Fault[],
    readonly body: unknown,
  ) {
    super(faults.map((fault) => fault.message).join("\n") || `the server answered ${status}`);
  }
}

/** Whether an error says that nobody wants the answer any more. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export interface Call {
  method?: string;
  body?: unknown;
  token?: string;
  signal?: AbortSignal;
  accept?: string;
}

/** Ask the server; rejects with a `Refusal` where it refuses. */
export async function ask<T>(route: string, call: Call = {}): Promise<T> {
  const response = await send(route, call);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Ask for a file. */
export async function askFile(route: string, call: Call = {}): Promise<Blob> {
  return (await send(route, call)).blob();
}

async function send(route: string, call: Call): Promise<Response> {
  const headers: Record<string, string> = { accept: call.accept ?? "application/json" };
  if (call.body !== undefined) headers["content-type"] = "application/json";
  if (call.token !== undefined) headers["authorization"] = `Bearer ${call.token}`;
  const request: RequestInit = { method: call.method ?? (call.body === undefined ? "GET" : "POST"), headers };
  if (call.body !== undefined) request.body = JSON.stringify(call.body);
  if (call.signal) request.signal = call.signal;
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(ROOT + route, request);
    if (response.ok) return response;
    const wait = Number(response.headers.get("retry-after"));
    if ((response.status === 429 || response.status === 503) && attempt < 3 && wait <= 5) {
      await pause(1000 * Math.max(wait, 0.2), call.signal);
      continue;
    }
    const body: unknown = await response.json().catch(() => null);
    throw new Refusal(response.status, (body as { faults?: Fault[] } | null)?.faults ?? [], body);
  }
}

/** Wait; an abort ends the wait at once. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("nobody waits any more", "AbortError"));
    });
  });
}

export interface Progress {
  share: number | null;
  words: string;
}

/** Have a question answered, with progress; an abort drops it on the server. */
export async function work<T>(
  question: string,
  body: unknown,
  signal: AbortSignal,
  progress: (progress: Progress) => void,
): Promise<T> {
  const response = await send(`/${question}`, { body, signal, accept: "text/event-stream" });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the connection to the server was lost");
    const events = (rest + value).split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event)!;
      const said = JSON.parse(data!) as never;
      if (name === "done") return said;
      if (name === "failed") throw new Refusal(422, (said as { faults: Fault[] }).faults, said);
      progress(said);
    }
  }
}
