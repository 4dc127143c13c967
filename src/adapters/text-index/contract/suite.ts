// The promises of port.ts, for every implementation.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { IndexEntry, OpenTextIndex, TextIndex } from "../port.ts";
import { textIndexLimits } from "../port.ts";

const all = [{ kind: "things", places: undefined }] as const;

function entry(id: string, more: Partial<IndexEntry> = {}): IndexEntry {
  const base = { id, place: "team", kind: "things", title: id, tags: "", text: "" };
  return { ...base, shown: { id }, edges: [], ...more };
}

export function textIndexContract(title: string, open: OpenTextIndex): void {
  describe(title, () => {
    let index: TextIndex;

    const put = async (...entries: readonly IndexEntry[]): Promise<void> => {
      await index.apply(entries.map((each) => ({ kind: "put", entry: each })));
    };
    const found = async (text: string, allowed: typeof all | readonly never[] = all) => {
      const { hits } = await index.search({ text, allowed, limit: 20 });
      return hits.map(({ id }) => id);
    };

    before(() => {
      index = open();
    });

    after(async () => {
      await index[Symbol.asyncDispose]();
    });

    it("finds words, beginnings and parts of words, without case and accents", async () => {
      await index.clear();
      await put(
        entry("a", { title: "Payment Gateway", text: "Zahlungsübersicht für Kunden" }),
        entry("b", { title: "Orders", tags: "team payments" }),
      );
      assert.deepEqual(await found("gateway"), ["a"]);
      assert.deepEqual(await found("PAY"), ["a", "b"]);
      assert.deepEqual(await found("teway"), ["a"]);
      assert.deepEqual(await found("ubersicht"), ["a"]);
      assert.deepEqual(await found("payment orders"), ["b"]);
      assert.deepEqual(await found("nothing"), []);
    });

    it("ranks titles before tags before texts, and words before parts", async () => {
      await index.clear();
      await put(
        entry("text", { title: "x", text: "shop" }),
        entry("tag", { title: "y", tags: "shop" }),
        entry("part", { title: "workshop" }),
        entry("beginning", { title: "shopping" }),
        entry("word", { title: "big shop" }),
        entry("whole", { title: "shop" }),
      );
      assert.deepEqual(await found("shop"), [
        "whole",
        "word",
        "beginning",
        // A part of a title and a word of the tags are worth the same.
        "part",
        "tag",
        "text",
      ]);
    });

    it("accepts any text as a search", async () => {
      await index.clear();
      await put(entry("a", { title: "a-b (c) NEAR d" }));
      for (const text of ['"', "a-b", "(c", "a AND", "NEAR(", "*", "", "title:a", "\u0000"]) {
        await index.search({ text, allowed: all, limit: 5 });
      }
      assert.deepEqual(await found("(c) near"), ["a"]);
    });

    it("replaces and removes entries", async () => {
      await index.clear();
      await put(entry("a", { title: "first" }));
      await put(entry("a", { title: "second" }));
      assert.deepEqual(await found("first"), []);
      assert.deepEqual(await found("second"), ["a"]);
      await index.apply([{ kind: "remove", id: "a" }]);
      assert.deepEqual(await found("second"), []);
    });

    it("finds only what the places of the caller allow", async () => {
      await index.clear();
      await put(
        entry("a", { place: "team", title: "shop" }),
        entry("b", { place: "other", title: "shop" }),
        entry("c", { place: "team", kind: "hidden", title: "shop" }),
      );
      const search = async (allowed: Parameters<TextIndex["search"]>[0]["allowed"]) => {
        const { hits, count } = await index.search({ text: "shop", allowed, limit: 5 });
        assert.equal(count, hits.length);
        return hits.map(({ id }) => id);
      };
      assert.deepEqual(await search([{ kind: "things", places: ["team"] }]), ["a"]);
      assert.deepEqual(await search([{ kind: "things", places: [] }]), []);
      assert.deepEqual(await search([]), []);
      assert.deepEqual(await search(all), ["a", "b"]);
      for (const text of ["team", "things", "eam", "k", "74"]) {
        assert.deepEqual(await found(text), [], `a place is not a text: ${text}`);
      }
    });

    it("ranks a bounded number of the hits of a common word, titles first", async () => {
      await index.clear();
      const many = Array.from({ length: textIndexLimits.maxCandidates + 50 }, (_, at) =>
        entry(`e${at}`, { title: `e${at}`, text: "common" }),
      );
      await put(...many, entry("best", { title: "common" }));
      const { hits, count, isComplete } = await index.search({
        text: "common",
        allowed: all,
        limit: 3,
      });
      assert.equal(hits[0]?.id, "best");
      assert.equal(count, textIndexLimits.maxCandidates);
      assert.equal(isComplete, false);
    });

    it("walks along edges up to a depth, and finds the shortest path", async () => {
      await index.clear();
      const to = (...ids: readonly string[]): Pick<IndexEntry, "edges"> => ({
        edges: ids.map((id) => ({ to: id, type: "depends-on" })),
      });
      await put(
        entry("web", to("api", "cache")),
        entry("api", to("db", "cache")),
        entry("cache", to("db")),
        entry("db", to("secret")),
        entry("secret", { place: "other" }),
      );
      const reached = async (
        from: string,
        direction: "dependencies" | "dependants",
        depth: number,
      ) => {
        const { nodes } = await index.walk({ from, direction, depth, allowed: all });
        return nodes.map(({ id, depth: at }) => `${id} ${at}`).sort();
      };
      assert.deepEqual(await reached("web", "dependencies", 1), ["api 1", "cache 1", "web 0"]);
      assert.deepEqual(await reached("db", "dependants", 9), ["api 1", "cache 1", "db 0", "web 2"]);
      const path = async (
        from: string,
        target: string,
        allowed: typeof all | readonly [{ kind: "things"; places: readonly string[] }] = all,
      ) => (await index.path({ from, to: target, allowed })).nodes?.map(({ id }) => id);
      assert.deepEqual((await path("web", "secret"))?.length, 4);
      assert.equal(await path("db", "web"), undefined);
      const own = [{ kind: "things", places: ["team"] }] as const;
      assert.equal(await path("web", "secret", own), undefined);
    });
  });
}
