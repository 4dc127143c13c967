// A small load for tests of faults: puts of new resources, one after the other or many at once,
// with a record of what was acknowledged, what was refused and how, and the comparison with what a
// store holds in the end. Nothing acknowledged may be missing and nothing refused may be there.
import assert from "node:assert/strict";
import type { Put, Store } from "../../src/store/port.ts";
import { chaosDraft, chaosKey } from "./documents.ts";
import { codeOf, digestText } from "./evidence.ts";
import { systemCause } from "../../src/kernel/cause.ts";

const kind = "puts.chaos";

export class Puts {
  readonly acknowledged = new Map<string, { readonly revision: number; readonly digest: string }>();
  readonly refused = new Map<string, string>();
  readonly unknown = new Set<string>();
  #count = 0;

  /** The codes of all failures so far, in order of appearance. */
  get codes(): readonly string[] {
    const codes = new Set(this.refused.values());
    if (this.unknown.size > 0) codes.add("store.outcome_unknown");
    return [...codes];
  }

  next(bytes = 1_000): Put {
    const name = `put-${String(++this.#count).padStart(6, "0")}`;
    const key = chaosKey(kind, name);
    // Not one letter repeated: what compresses well fills no disk.
    const padding = digestText(Buffer.from(name)).repeat(Math.ceil(bytes / 32));
    const draft = chaosDraft(key, { uid: name, spec: { op: name, padding } });
    return { kind: "put", cause: systemCause, key, uid: name, draft, when: { kind: "absent" } };
  }

  /** Puts one and returns "committed" or the code of the failure. */
  async put(store: Store, bytes?: number): Promise<string> {
    const write = this.next(bytes);
    const { name } = write.key;
    try {
      const [answer] = await store.commit([write]);
      if (answer?.kind === "committed") {
        const digest = digestText(write.draft.body);
        this.acknowledged.set(name, { revision: answer.revision, digest });
        return "committed";
      }
      const code = answer?.kind === "refused" ? codeOf(answer.error) : "no answer";
      this.refused.set(name, code);
      return code;
    } catch (error) {
      const code = codeOf(error);
      if (code === "store.outcome_unknown") this.unknown.add(name);
      else this.refused.set(name, code);
      return code;
    }
  }

  /** Puts until the signal ends it, from several callers at once. */
  async keepPutting(store: Store, callers: number, signal: AbortSignal): Promise<void> {
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (!signal.aborted) await this.put(store);
      }),
    );
  }

  async check(store: Store): Promise<void> {
    const stored = new Map<string, string>();
    for (let page = await store.list({ kind, limit: 500 }); ;) {
      for (const { key, revision, body } of page.records) {
        stored.set(key.name, `${revision} ${digestText(body)}`);
      }
      if (page.next === undefined) break;
      page = await store.list({ kind, limit: 500, from: page.next });
    }
    for (const [name, { revision, digest }] of this.acknowledged) {
      assert.equal(stored.get(name), `${revision} ${digest}`, `lost ${name}, acknowledged`);
    }
    for (const [name, code] of this.refused) {
      assert.equal(stored.get(name), undefined, `${name} is there, refused with ${code}`);
    }
    const known = this.acknowledged.size;
    assert.ok(stored.size <= known + this.unknown.size, `${stored.size} stored, ${known} known`);
    assert.deepEqual(await store.verify(), []);
  }
}
