// What a quota service knows: limits, reservations and released keys. With a file, every change is
// on disk before it is answered.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";

/** Applied to the next requests of the method. */
export interface Fault {
  readonly method: string;
  readonly kind:
    /** Answers with `status` and does nothing. */
    | "status"
    /** Closes the connection and does nothing. */
    | "drop"
    /** Does it, and closes the connection in place of an answer. */
    | "lose"
    /** Does it `delayMs` later, and answers then. */
    | "delay";
  readonly status?: number;
  readonly delayMs?: number;
  /** Requests that it is still meant for. */
  count: number;
}

export interface QuotaState {
  /** By key. */
  readonly reservations: Readonly<Record<string, Reserved>>;
  readonly released: readonly string[];
  /** Requests so far, such as "PUT KEY 201". */
  readonly log: readonly string[];
}

export interface Reserved {
  readonly organisation: string;
  readonly type: string;
  readonly units: number;
  readonly subscription: string;
}

export interface QuotaAnswer {
  readonly status: number;
  readonly body?: Json;
}

export class QuotaLedger {
  faults: Fault[] = [];
  readonly log: string[] = [];
  readonly #file: number | undefined;
  readonly #reserved = new Map<string, Reserved>();
  readonly #released = new Set<string>();
  #limits: Readonly<Record<string, number>> = {};

  constructor(path?: string) {
    if (path === undefined) return;
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    // The last line may be cut: it was not answered.
    for (const line of lines.slice(0, -1)) this.#replay(JSON.parse(line) as JsonObject);
    this.#file = openSync(path, "a");
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  setLimits(limits: Readonly<Record<string, number>>): void {
    this.#limits = limits;
    this.#store({ limits });
  }

  state(): QuotaState {
    return {
      reservations: Object.fromEntries(this.#reserved),
      released: [...this.#released],
      log: [...this.log],
    };
  }

  /** Does what a request of the protocol says. */
  perform(method: string, path: string, body: Json): QuotaAnswer {
    const key = decodeURIComponent(/^\/reservations\/([^/?]+)$/.exec(path)?.[1] ?? "");
    const answer = this.#answer(method, path, { key, body });
    this.log.push(`${method} ${key === "" ? path : key} ${answer.status}`);
    return answer;
  }

  /** The fault that is meant for the next request of the method. */
  nextFault(method: string): Fault | undefined {
    const fault = this.faults.find((each) => each.method === method && each.count > 0);
    if (fault !== undefined) fault.count -= 1;
    return fault;
  }

  #answer(
    method: string,
    path: string,
    { key, body }: { readonly key: string; readonly body: Json },
  ): QuotaAnswer {
    if (method === "POST" && path === "/check") return this.check(body);
    if (key === "") return { status: 404 };
    if (method === "PUT") return this.reserve(key, body);
    return method === "DELETE" ? this.release(key) : { status: 405 };
  }

  check(body: Json): QuotaAnswer {
    const organisation = textAt(body, "organisation");
    const types = objectsAt(body, "types").map((type) => {
      const name = textAt(type, "name");
      const refusal = this.#refusal({ organisation, type: name, units: unitsOf(type) });
      return Object.assign({ name, allowed: refusal === undefined }, refusal);
    });
    return { status: 200, body: { types } };
  }

  reserve(key: string, body: Json): QuotaAnswer {
    if (this.#released.has(key)) return { status: 410, body: { message: "it was released" } };
    const known = this.#reserved.get(key);
    if (known !== undefined) return { status: 200, body: { subscription: known.subscription } };
    const wanted = {
      organisation: textAt(body, "organisation"),
      type: textAt(body, "type"),
      units: unitsOf(body),
    };
    const refusal = this.#refusal(wanted);
    if (refusal !== undefined) return { status: 403, body: refusal };
    const subscription = `sub-${this.#reserved.size + this.#released.size + 1}`;
    this.#reserved.set(key, { ...wanted, subscription });
    this.#store({ key, reserved: { ...wanted, subscription } });
    return { status: 201, body: { subscription } };
  }

  release(key: string): QuotaAnswer {
    const isKnown = this.#reserved.delete(key);
    if (!this.#released.has(key)) this.#store({ key });
    this.#released.add(key);
    return { status: isKnown ? 204 : 404 };
  }

  #refusal(wanted: Omit<Reserved, "subscription">): JsonObject | undefined {
    const { organisation, type, units } = wanted;
    const limit = this.#limits[`${organisation}/${type}`];
    if (limit === undefined) {
      return { reason: "insufficient", message: `${organisation} has no quota for ${type}` };
    }
    const all = [...this.#reserved.values()];
    const own = all.filter((each) => each.organisation === organisation && each.type === type);
    const used = own.reduce((sum, each) => sum + each.units, 0);
    if (used + units <= limit) return undefined;
    return { reason: "exceeded", message: `${used} of ${limit} units are in use` };
  }

  #store(line: JsonObject): void {
    if (this.#file === undefined) return;
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#file);
  }

  #replay(line: JsonObject): void {
    const key = textAt(line, "key");
    if (key === "") this.#limits = objectAt(line, "limits") as Record<string, number>;
    else if (line["reserved"] === undefined) {
      this.#reserved.delete(key);
      this.#released.add(key);
    } else this.#reserved.set(key, objectAt(line, "reserved") as unknown as Reserved);
  }
}

function unitsOf(body: Json): number {
  return numberAt(body, "units") ?? 1;
}
