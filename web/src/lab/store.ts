// What must not be lost: the session and every trial that the server has not acknowledged.
//
// They are kept in the browser's own database until the server has them on disk, so that a closed
// tab, a reload or a lost connection costs nothing.

import type { Screen, TrialRecord } from "./design";

/** Who takes part, and what has been settled already. */
export interface Ticket {
  key: string;
  session: string;
  token: string;
  screen: Screen | null;
}

/** 128 random bits, as text. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export interface Store {
  ticket(key: string): Promise<Ticket | undefined>;
  keep(ticket: Ticket): Promise<void>;
  forget(key: string): Promise<void>;
  add(session: string, trial: TrialRecord): Promise<void>;
  waiting(session: string): Promise<TrialRecord[]>;
  remove(session: string, indices: readonly number[]): Promise<void>;
}

interface Kept {
  session: string;
  index: number;
  trial: TrialRecord;
}

/** A store that lasts. */
export class BrowserStore implements Store {
  private constructor(private readonly database: IDBDatabase) {}

  static open(name = "popout-laboratory"): Promise<BrowserStore> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("tickets", { keyPath: "key" });
        request.result.createObjectStore("trials", { keyPath: ["session", "index"] });
      };
      request.onsuccess = () => resolve(new BrowserStore(request.result));
      request.onerror = () => reject(request.error);
    });
  }

  ticket(key: string): Promise<Ticket | undefined> {
    return this.read("tickets", (store) => store.get(key) as IDBRequest<Ticket | undefined>);
  }

  keep(ticket: Ticket): Promise<void> {
    return this.write("tickets", (store) => void store.put(ticket));
  }

  forget(key: string): Promise<void> {
    return this.write("tickets", (store) => void store.delete(key));
  }

  add(session: string, trial: TrialRecord): Promise<void> {
    const kept: Kept = { session, index: trial.index, trial };
    return this.write("trials", (store) => void store.put(kept));
  }

  async waiting(session: string): Promise<TrialRecord[]> {
    const all = IDBKeyRange.bound([session, -Infinity], [session, Infinity]);
    const kept = await this.read("trials", (store) => store.getAll(all) as IDBRequest<Kept[]>);
    return kept.map(({ trial }) => trial);
  }

  remove(session: string, indices: readonly number[]): Promise<void> {
    return this.write("trials", (store) => {
      for (const index of indices) store.delete([session, index]);
    });
  }

  private read<T>(name: string, get: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const request = get(this.database.transaction(name).objectStore(name));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  private write(name: string, change: (store: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      // Strict: resolved when it is on disk, not when it is in a cache.
      const transaction = this.database.transaction(name, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      change(transaction.objectStore(name));
    });
  }
}

/** A store for browsers that keep nothing: it lasts as long as the page. */
export class PageStore implements Store {
  private readonly tickets = new Map<string, Ticket>();
  private readonly trials = new Map<string, Map<number, TrialRecord>>();

  async ticket(key: string): Promise<Ticket | undefined> {
    return this.tickets.get(key);
  }

  async keep(ticket: Ticket): Promise<void> {
    this.tickets.set(ticket.key, ticket);
  }

  async forget(key: string): Promise<void> {
    this.tickets.delete(key);
  }

  async add(session: string, trial: TrialRecord): Promise<void> {
    if (!this.trials.has(session)) this.trials.set(session, new Map());
    this.trials.get(session)!.set(trial.index, trial);
  }

  async waiting(session: string): Promise<TrialRecord[]> {
    return [...(this.trials.get(session)?.values() ?? [])].sort((a, b) => a.index - b.index);
  }

  async remove(session: string, indices: readonly number[]): Promise<void> {
    for (const index of indices) this.trials.get(session)?.delete(index);
  }
}
