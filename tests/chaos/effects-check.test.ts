// The judge of the campaigns finds what it is there to find: each promise is broken once by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeEffects } from "./effects-check.ts";
import type { Evidence, Shown } from "./effects-check.ts";
import type { Call } from "./effects-recorder.ts";

const shown: Shown = {
  name: "a",
  uid: "u1",
  generation: 2,
  value: 7,
  observedGeneration: 2,
  ready: "True",
  synced: "True",
  applied: { generation: 2, value: 7, token: 9 },
};

function call(part: Partial<Call>): Call {
  const { uid = "u1", action = "apply", generation = 2 } = part;
  const key = `${uid}/${generation}/${action}`;
  return { uid, action, generation, value: 7, token: 9, key, verdict: "accepted", ...part };
}

const earlier = call({ generation: 1, value: 3, token: 4 });
const last = call({});
const removal = call({ uid: "u2", action: "remove", generation: 3, value: 0, token: 12 });

const sound: Evidence = {
  wishes: [
    { name: "a", value: 7, isDeleted: false },
    { name: "b", value: 1, isDeleted: true },
  ],
  shown: [shown],
  calls: [earlier, call({ uid: "u2", token: 8, generation: 1 }), last, removal],
  log: [
    { uid: "u1", revision: 5, applied: { generation: 1, value: 3, token: 4 } },
    { uid: "u1", revision: 9, applied: { generation: 2, value: 7, token: 9 } },
  ],
  names: new Map([
    ["u1", "a"],
    ["u2", "b"],
  ]),
};

const broken: Readonly<Record<string, readonly [part: Partial<Evidence>, finding: RegExp]>> = {
  "a resource that is missing": [{ shown: [] }, /a was made and is not there/],
  "a change that was lost": [
    { wishes: [{ name: "a", value: 8, isDeleted: false }] },
    /a has 7, wished 8/,
  ],
  "a deletion that was lost": [
    { wishes: [{ name: "a", value: 7, isDeleted: true }] },
    /a was deleted and is still there/,
  ],
  "a resource that nobody made": [{ wishes: [] }, /a was never asked for/],
  "a resource that is behind": [
    { shown: [{ ...shown, observedGeneration: 1 }] },
    /a has not converged: 1 of 2/,
  ],
  "a resource that is not ready": [{ shown: [{ ...shown, ready: "False" }] }, /Ready False/],
  "a last generation that was never applied": [
    { calls: [earlier, removal] },
    /applied was 1 = 3 by token 4/,
  ],
  "a status unlike the outside": [
    { calls: [...sound.calls, call({ verdict: "duplicate", token: 10 })] },
    /tells of 2 = 7 by token 9, outside is 2 = 7 by token 10/,
  ],
  "a thing that is left outside": [
    { calls: sound.calls.filter((one) => one !== removal) },
    /b is gone and still there outside/,
  ],
  "a thing that was removed outside and is wanted": [
    { calls: [...sound.calls, call({ action: "remove" })] },
    /a is there and was removed outside/,
  ],
  "an effect by a stale holder": [
    { calls: [last, call({ token: 4, generation: 2 }), removal] },
    /by token 4 was accepted after 2 = 7 by token 9/,
  ],
  "an effect of an older generation": [
    { calls: [last, call({ generation: 1, value: 3 }), removal] },
    /1 = 3 by token 9 is older than 2 = 7/,
  ],
  "an effect after the removal": [
    { calls: [...sound.calls, call({ uid: "u2", generation: 3, token: 13 })] },
    /u2: 3 = 7 by token 13 came after its removal/,
  ],
  "a status by a stale holder in the log": [
    { log: sound.log.toReversed() },
    /revision 5 of u1: token 4 after 9/,
  ],
};

test("what was done well is found to be sound", () => {
  assert.deepEqual(judgeEffects(sound), []);
  const refused = call({ token: 4, generation: 1, verdict: "stale" });
  assert.deepEqual(judgeEffects({ ...sound, calls: [...sound.calls, refused] }), []);
});

for (const [what, [part, finding]] of Object.entries(broken)) {
  test(`the judge finds ${what}`, () => {
    assert.match(judgeEffects({ ...sound, ...part }).join("\n"), finding);
  });
}
