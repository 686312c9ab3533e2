// Questions to the server: faults as data, stale answers dropped, long work as jobs.

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
  keepalive?: boolean;
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
  const headers: Record<string, string> = { accept: "application/json" };
  if (call.body !== undefined) headers["content-type"] = "application/json";
  if (call.token !== undefined) headers["authorization"] = `Bearer ${call.token}`;
  const request: RequestInit = { method: call.method ?? (call.body === undefined ? "GET" : "POST"), headers };
  if (call.body !== undefined) request.body = JSON.stringify(call.body);
  if (call.signal) request.signal = call.signal;
  if (call.keepalive) request.keepalive = true;
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

export interface Job<T> {
  id: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  share: number | null;
  words: string;
  seconds: number;
  seconds_left: number | null;
  answer: T | null;
  faults: Fault[] | null;
}

/** Have a question worked on, with progress; an abort cancels it on the server. */
export async function work<T>(
  question: string,
  body: unknown,
  signal: AbortSignal,
  progress: (job: Job<T>) => void,
): Promise<T> {
  const job = await ask<Job<T>>("/jobs", { body: { question, body }, signal });
  return new Promise<T>((resolve, reject) => {
    const events = new EventSource(`${ROOT}/jobs/${job.id}/events`);
    const end = (): void => {
      events.close();
      signal.removeEventListener("abort", stop);
      removeEventListener("pagehide", stop);
    };
    const stop = (): void => {
      end();
      void ask(`/jobs/${job.id}`, { method: "DELETE", keepalive: true }).catch(() => {});
      reject(new DOMException("stopped", "AbortError"));
    };
    const read = (event: Event): Job<T> => JSON.parse((event as MessageEvent<string>).data) as Job<T>;
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop);
    addEventListener("pagehide", stop);
    events.addEventListener("progress", (event) => progress(read(event)));
    events.addEventListener("done", (event) => {
      end();
      resolve(read(event).answer as T);
    });
    for (const name of ["failed", "cancelled"]) {
      events.addEventListener(name, (event) => {
        end();
        reject(new Refusal(422, read(event).faults ?? [], null));
      });
    }
    events.addEventListener("error", () => {
      if (events.readyState !== EventSource.CLOSED) return;
      end();
      reject(new Error("the connection to the server was lost"));
    });
  });
}
