// The key-value store of the Consul double: indexes, compare-and-set and transactions with the
// semantics of Consul's API documentation.

export interface KvEntry {
  readonly Key: string;
  /** Base64; null for an empty value. */
  readonly Value: string | null;
  readonly Flags: number;
  readonly LockIndex: number;
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

export interface KvOperation {
  readonly Verb: string;
  readonly Key: string;
  readonly Value?: string | null;
  readonly Flags?: number;
  readonly Index?: number;
}

export interface KvError {
  readonly OpIndex: number;
  readonly What: string;
}

export type KvOutcome =
  | { readonly results: readonly { readonly KV: KvEntry }[] }
  | { readonly errors: readonly KvError[] };

/** The suggested size of a value and of a transaction, in bytes. */
export const maxValueBytes = 512 * 1_024;
export const maxOperations = 128;

export class ConsulKv {
  #entries = new Map<string, KvEntry>();
  #index = 10;
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get index(): number {
    return this.#index;
  }

  /** For other parts of the catalog, which share the index. */
  bump(): void {
    this.#index += 1;
    this.#changed();
  }

  get(key: string): KvEntry | undefined {
    return this.#entries.get(key);
  }

  below(prefix: string): readonly KvEntry[] {
    const found = [...this.#entries.values()].filter(({ Key }) => Key.startsWith(prefix));
    return found.toSorted((one, other) => (one.Key < other.Key ? -1 : 1));
  }

  /** All or nothing: every operation is tried on a copy. */
  transaction(operations: readonly KvOperation[]): KvOutcome {
    const copy = new Map(this.#entries);
    const next = this.#index + 1;
    const errors: KvError[] = [];
    const results: { KV: KvEntry }[] = [];
    let isWrite = false;
    operations.forEach((operation, OpIndex) => {
      const outcome = perform(copy, operation, next);
      if ("what" in outcome) errors.push({ OpIndex, What: outcome.what });
      else {
        isWrite ||= outcome.isWrite;
        results.push(...outcome.entries.map((KV) => ({ KV })));
      }
    });
    if (errors.length > 0) return { errors };
    if (isWrite) {
      this.#entries = copy;
      this.#index = next;
      this.#changed();
    }
    return { results };
  }
}

type Performed =
  | { readonly what: string }
  | { readonly isWrite: boolean; readonly entries: readonly KvEntry[] };

function perform(
  entries: Map<string, KvEntry>,
  { Verb, Key, Value = null, Flags = 0, Index = 0 }: KvOperation,
  next: number,
): Performed {
  const found = entries.get(Key);
  const stale = { what: `failed to ${Verb} key "${Key}", index is stale` };
  const set = (): Performed => {
    const kept = { LockIndex: found?.LockIndex ?? 0, CreateIndex: found?.CreateIndex ?? next };
    const entry: KvEntry = { Key, Value, Flags, ...kept, ModifyIndex: next };
    entries.set(Key, entry);
    return { isWrite: true, entries: [{ ...entry, Value: null }] };
  };
  const isCurrent = Index === 0 ? found === undefined : found?.ModifyIndex === Index;
  switch (Verb) {
    case "set":
      return set();
    case "cas":
      return isCurrent ? set() : stale;
    case "get":
      if (found === undefined) return { what: `key "${Key}" doesn't exist` };
      return { isWrite: false, entries: [found] };
    case "get-or-empty": {
      const empty = { Key, Value: null, Flags: 0, LockIndex: 0, CreateIndex: 0, ModifyIndex: 0 };
      return { isWrite: false, entries: [found ?? empty] };
    }
    case "get-tree":
      return {
        isWrite: false,
        entries: [...entries.values()].filter((e) => e.Key.startsWith(Key)),
      };
    case "check-index":
      if (found === undefined || found.ModifyIndex !== Index) {
        return { what: `current modify index ${found?.ModifyIndex ?? 0} does not match ${Index}` };
      }
      return { isWrite: false, entries: [found] };
    case "check-not-exists":
      if (found !== undefined) return { what: `key "${Key}" exists` };
      return { isWrite: false, entries: [] };
    case "delete":
      entries.delete(Key);
      return { isWrite: true, entries: [] };
    case "delete-cas": {
      // A key that does not exist is deleted already.
      if (found !== undefined && found.ModifyIndex !== Index) return stale;
      entries.delete(Key);
      return { isWrite: true, entries: [] };
    }
    case "delete-tree":
      for (const name of entries.keys()) if (name.startsWith(Key)) entries.delete(name);
      return { isWrite: true, entries: [] };
    default:
      return { what: `unknown KV verb "${Verb}"` };
  }
}
