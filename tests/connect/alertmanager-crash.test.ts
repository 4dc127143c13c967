// The server is killed at each step of the life of a silence. Its id is known from answers alone,
// and a change may give it another, so an answer that nobody hears is where one could be made twice
// or be left behind; neither happens.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { startAlertmanager } from "../peers/alertmanager.ts";
import { killDuring, moments, shortLeases, wordOf } from "./crash-steps.ts";
import type { ShortLeases, Step } from "./crash-steps.ts";
import { Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { about, allSilences, apiVersion, isAlive, silence, silenceKinds } from "./silence-kinds.ts";
import type { Silence } from "./silence-kinds.ts";

let leases: ShortLeases;
let rig: Rig;
const silences = new Resources(() => rig.server, { apiVersion, kind: "Silence" });

before(async () => {
  leases = await shortLeases();
  // How long what was not answered is looked for is a multiple of it.
  const kinds = async ({ url }: { readonly url: string }) =>
    await silenceKinds({ url, timeoutSeconds: 3 });
  rig = await startRig(startAlertmanager, kinds, { args: leases.args });
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  await leases?.[Symbol.asyncDispose]();
});

/** None of these begins like another. */
const commentOf = (name: string): string => `${name}:`;
const all = async (name: string): Promise<readonly Silence[]> =>
  await allSilences(rig.service, commentOf(name));
const idOf = async (name: string): Promise<string> =>
  (await silences.present(name)).status?.connect?.id ?? "";
/** The request that makes or changes the silence, which is told by its comment. */
const posted = (comment: string): Step["match"] => ({
  method: "POST",
  path: "/silences",
  body: `"comment":"${comment}"`,
});
/** A look at any silence but these: at the one whose id was just answered. */
const lookAtNew = (ids: readonly string[]): Step["match"] => ({
  method: "GET",
  path: new RegExp(`/silence/(?!${ids.join("|") || "-"})`),
});
const names = [...moments.map(wordOf), "answered"];
const stay = moments.map((moment) => `stay-${wordOf(moment)}`);
const changed = (name: string): string => `${commentOf(name)} changed`;

describe("a server that is killed", () => {
  it("while silences are made ends with each of them made once, under its id", async () => {
    const make = (name: string) => async () =>
      await silences.create(name, silence(commentOf(name)));
    await killDuring(rig, [
      ...moments.map((moment): Step => {
        const name = wordOf(moment);
        return { match: posted(commentOf(name)), moment, act: make(name) };
      }),
      { match: lookAtNew([]), moment: "hold", act: make("answered") },
    ]);
    for (const name of names) {
      await silences.ready(name);
      assert.deepEqual(
        (await all(name)).map(({ id }) => id),
        [await idOf(name)],
        name,
      );
    }
  });

  it("while silences are changed ends with each of them once, where it was or is now", async () => {
    for (const name of stay) {
      await silences.create(name, silence(commentOf(name)));
      await silences.ready(name);
    }
    const ids = await Promise.all([...names, ...stay].map(idOf));
    const change = (name: string, matchers: readonly JsonObject[]) => async () => {
      await silences.patch(name, { spec: { matchers, comment: changed(name) } });
    };
    await killDuring(rig, [
      ...moments.flatMap((moment): readonly Step[] => {
        const [moves, stays] = [wordOf(moment), `stay-${wordOf(moment)}`];
        return [
          { match: posted(changed(moves)), moment, act: change(moves, about("another")) },
          { match: posted(changed(stays)), moment, act: change(stays, about(commentOf(stays))) },
        ];
      }),
      { match: lookAtNew(ids), moment: "hold", act: change("answered", about("another")) },
    ]);
    for (const name of [...names, ...stay]) {
      await silences.ready(name);
      const found = await all(name);
      assert.deepEqual(
        found.filter(isAlive).map(({ id, comment }) => [id, comment]),
        [[await idOf(name), changed(name)]],
        name,
      );
      // Only what is silenced makes another silence of it, and the old one expires.
      assert.equal(found.length, stay.includes(name) ? 1 : 2, name);
      assert.equal(ids.includes(await idOf(name)), stay.includes(name), name);
    }
  });

  it("while silences are ended ends with none of them", async () => {
    const steps = moments.map(async (moment): Promise<Step> => {
      const path = `/silence/${await idOf(wordOf(moment))}`;
      const act = async (): Promise<void> => await silences.delete(wordOf(moment));
      return { match: { method: "DELETE", path }, moment, act };
    });
    await killDuring(rig, await Promise.all(steps));
    for (const moment of moments) {
      await silences.gone(wordOf(moment));
      assert.deepEqual((await all(wordOf(moment))).filter(isAlive), [], moment);
    }
  });
});
