// The server is killed at each step of the life of a silence. Its id is known from answers alone,
// and a change may give it another, so an answer that nobody hears is where one could be made twice
// or be left behind; neither happens.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { startAlertmanager } from "../peers/alertmanager.ts";
import { killDuring, moments, shortLeases, wordOf } from "../peers/crash-steps.ts";
import type { Moment, ShortLeases, Step } from "../peers/crash-steps.ts";
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
const anew = moments.flatMap((moment) => [`old-${wordOf(moment)}`, `new-${wordOf(moment)}`]);
const changed = (name: string): string => `${commentOf(name)} changed`;
const change = (name: string, matchers: readonly JsonObject[]) => async () =>
  await silences.patch(name, { spec: { matchers, comment: changed(name) } });

/** By a change of what is silenced one gets another id, by any other change it does not. */
function changes(moment: Moment): readonly Step[] {
  const [moves, stays] = [wordOf(moment), `stay-${wordOf(moment)}`];
  return [
    { match: posted(changed(moves)), moment, act: change(moves, about("another")) },
    { match: posted(changed(stays)), moment, act: change(stays, about(commentOf(stays))) },
  ];
}

/** While the old one is ended, and while the new one is made. */
async function renewals(moment: Moment): Promise<readonly Step[]> {
  const [ending, making] = [`old-${wordOf(moment)}`, `new-${wordOf(moment)}`];
  const renew = (name: string) => async () =>
    await silences.patch(name, { spec: { createdBy: "somebody else" } });
  const path = `/silence/${await idOf(ending)}`;
  return [
    { match: { method: "DELETE", path }, moment, act: renew(ending) },
    { match: posted(commentOf(making)), moment, act: renew(making) },
  ];
}

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

  it("while silences are changed or made anew ends with each of them once", async () => {
    for (const name of stay) await silences.create(name, silence(commentOf(name)));
    const replace = ["/createdBy"];
    for (const name of anew) await silences.create(name, silence(commentOf(name)), { replace });
    const everyone = [...names, ...stay, ...anew];
    for (const name of everyone) await silences.ready(name);
    const ids = await Promise.all(everyone.map(idOf));
    await killDuring(rig, [
      ...moments.flatMap((moment) => changes(moment)),
      ...(await Promise.all(moments.map(renewals))).flat(),
      { match: lookAtNew(ids), moment: "hold", act: change("answered", about("another")) },
    ]);
    for (const name of everyone) {
      const one = await silences.ready(name);
      const found = await all(name);
      assert.deepEqual(
        found.filter(isAlive).map(({ id, comment, createdBy }) => [id, comment, createdBy]),
        [[await idOf(name), one.spec["comment"], one.spec["createdBy"]]],
        name,
      );
      // All but those that are changed in their place have another id now, and the old one expired.
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
