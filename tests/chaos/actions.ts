// What the lanes do, each action a small story that reads, decides and writes under a precondition.
// All lanes of all processes use the same few keys, so most of what can collide does.
import { termsOf } from "../../src/kernel/terms.ts";
import type { Claim, StoredRecord } from "../../src/store/port.ts";
import {
  chaosDraft,
  chaosKey,
  hostScope,
  kinds,
  leaseMs,
  maxRestMs,
  parseChaos,
  quota,
} from "./documents.ts";
import type { ChaosDocument } from "./documents.ts";
import { nowUs } from "./evidence.ts";
import type { Lane } from "./lane.ts";
import { systemCause } from "../../src/kernel/cause.ts";

export type Action = (lane: Lane) => Promise<void>;

export const actions: readonly { readonly weight: number; readonly run: Action }[] = [
  { weight: 6, run: changeThing },
  { weight: 4, run: changePair },
  { weight: 3, run: changeHost },
  { weight: 3, run: changeUse },
  { weight: 2, run: wakeWork },
  { weight: 4, run: doWork },
  { weight: 2, run: writeAsZombie },
];

export function chooseAction(lane: Lane): Action {
  const total = actions.reduce((sum, action) => sum + action.weight, 0);
  let left = lane.roll(total);
  for (const action of actions) {
    left -= action.weight;
    if (left < 0) return action.run;
  }
  return changeThing;
}

/** Sets the bound of the counter; whoever comes second is refused, which is as good. */
export async function setBound(lane: Lane): Promise<void> {
  const key = chaosKey(kinds.bounds, "quota");
  await lane.submit([lane.put(key, { when: { kind: "absent" }, bounds: [quota] })]);
}

async function changeThing(lane: Lane): Promise<void> {
  const key = chaosKey(kinds.things, `thing-${lane.roll(24)}`, `ns-${lane.roll(3)}`);
  const record = await lane.store.get(key);
  const content = {
    labels: { colour: `c${lane.roll(4)}`, size: `s${lane.roll(2)}` },
    owner: `owner-${lane.roll(3)}`,
    spec: { number: lane.roll(5), padding: lane.padding() },
    ...(lane.chance(0.2) ? { secret: `secret-${lane.roll(1_000)}` } : {}),
  };
  if (record === undefined) {
    await lane.submit([lane.put(key, { when: { kind: "absent" } }, content)]);
    return;
  }
  const { uid, revision } = record;
  const choice = lane.roll(20);
  if (choice < 2) {
    await repeatThing(lane, record);
  } else if (choice < 4) {
    const last = chaosDraft(key, { uid, spec: { op: lane.nextOperation() } });
    await lane.submit([
      { kind: "delete", cause: systemCause, key, when: { kind: "revision", revision }, last },
    ]);
  } else if (choice < 6) {
    await lane.submit([{ kind: "delete", cause: systemCause, key, when: { kind: "exists", uid } }]);
  } else if (choice < 8) {
    // A stale reader: it must be refused.
    const when = { kind: "revision", revision: revision - 1 } as const;
    await lane.submit([lane.put(key, { when }, { uid, ...content })]);
  } else if (choice < 10) {
    await lane.submit([lane.put(key, { when: { kind: "exists" } }, { uid, ...content })]);
  } else {
    await lane.submit([
      lane.put(key, { when: { kind: "revision", revision } }, { uid, ...content }),
    ]);
  }
}

async function repeatThing(lane: Lane, record: StoredRecord): Promise<void> {
  const { key, uid, revision, body } = record;
  const document = parseChaos(body);
  const draft = { body, terms: termsOfDocument(document), secrets: secretsOf(document) };
  const when = { kind: "revision", revision } as const;
  await lane.submit([{ kind: "put", cause: systemCause, key, uid, draft, when }], {
    isRepeat: true,
  });
}

/** The terms that chaosDraft gave the document, from the document alone. */
export function termsOfDocument(document: ChaosDocument): readonly string[] {
  const { labels, owner } = document.metadata;
  const fields = [{ path: "spec.number", value: document.spec.number ?? -1 }];
  return termsOf({ labels, owners: [owner], fields });
}

function secretsOf(document: ChaosDocument): readonly string[] {
  return "data" in document ? ["/data/password"] : [];
}

async function changePair(lane: Lane): Promise<void> {
  const pair = lane.roll(6);
  const keys = ["left", "right"].map((side) => chaosKey(kinds.pairs, `pair-${pair}-${side}`));
  const records = await lane.store.getMany(keys);
  const present = records.filter((record) => record !== undefined);
  const numbers = new Set(present.map((record) => parseChaos(record.body).spec.number));
  if (present.length === 1 || numbers.size > 1) {
    lane.problem(`pair ${pair} is seen half written: ${[...numbers].join(" and ")}`);
  }
  const number = ([...numbers][0] ?? 0) + 1;
  const isFaulty = lane.chance(0.1);
  const isDeletion = present.length === 2 && lane.chance(0.15);
  const writes = keys.map((key, side) => {
    const record = records[side];
    const stale = isFaulty && side === 1;
    if (record === undefined) {
      // A faulty group asks for a pair of which one half never existed.
      const when = stale ? ({ kind: "exists" } as const) : ({ kind: "absent" } as const);
      return lane.put(key, { when }, { spec: { number } });
    }
    const revision = stale ? record.revision - 1 : record.revision;
    const when = { kind: "revision", revision } as const;
    if (isDeletion) return { kind: "delete", cause: systemCause, key, when } as const;
    return lane.put(key, { when }, { uid: record.uid, spec: { number, padding: lane.padding() } });
  });
  const answers = await lane.submit(writes, { atomic: true });
  const kindsOfAnswers = new Set(answers?.map((answer) => answer.kind === "refused"));
  if (kindsOfAnswers.size > 1) lane.problem(`group on pair ${pair} was answered in part`);
  if (isFaulty && kindsOfAnswers.has(false)) lane.problem(`faulty group on ${pair} was committed`);
}

async function changeHost(lane: Lane): Promise<void> {
  const key = chaosKey(kinds.hosts, `holder-${lane.roll(12)}`);
  const host = `host-${lane.roll(6)}`;
  const record = await lane.store.get(key);
  const names = [{ scope: hostScope, name: host }];
  if (record === undefined) {
    await lane.submit([lane.put(key, { when: { kind: "absent" }, names }, { spec: { host } })]);
    return;
  }
  const { uid, revision } = record;
  const when = { kind: "revision", revision } as const;
  const choice = lane.roll(10);
  if (choice < 4) {
    await lane.submit([lane.put(key, { when, names }, { uid, spec: { host } })]);
  } else if (choice < 6) {
    // Says nothing about names: it keeps the one it holds.
    const { host: held } = parseChaos(record.body).spec;
    const spec = held === undefined ? {} : { host: held };
    await lane.submit([lane.put(key, { when }, { uid, spec })]);
  } else {
    await lane.submit([{ kind: "delete", cause: systemCause, key, when }]);
  }
}

async function changeUse(lane: Lane): Promise<void> {
  const key = chaosKey(kinds.uses, `user-${lane.roll(12)}`);
  const amount = lane.roll(6);
  const record = await lane.store.get(key);
  const uses = [{ counter: quota.counter, amount }];
  if (record === undefined) {
    await lane.submit([lane.put(key, { when: { kind: "absent" }, uses }, { spec: { amount } })]);
    return;
  }
  const { uid, revision } = record;
  const when = { kind: "revision", revision } as const;
  const choice = lane.roll(10);
  if (choice < 5) {
    await lane.submit([lane.put(key, { when, uses }, { uid, spec: { amount } })]);
  } else if (choice < 7) {
    const kept = parseChaos(record.body).spec.amount ?? 0;
    await lane.submit([lane.put(key, { when }, { uid, spec: { amount: kept } })]);
  } else {
    await lane.submit([{ kind: "delete", cause: systemCause, key, when }]);
  }
}

/** Makes something that wants work, or wakes what is there. */
async function wakeWork(lane: Lane): Promise<void> {
  const key = chaosKey(kinds.works, `work-${lane.roll(8)}`, `ns-${lane.roll(2)}`);
  const due = { kind: "wake", afterMs: 0 } as const;
  const record = await lane.store.get(key);
  if (record === undefined) {
    await lane.submit([lane.put(key, { when: { kind: "absent" }, due })]);
  } else if (lane.chance(0.5)) {
    await lane.submit([{ kind: "schedule", key, when: { kind: "exists" }, due }]);
  } else {
    const when = { kind: "revision", revision: record.revision } as const;
    await lane.submit([lane.put(key, { when, due }, { uid: record.uid })]);
  }
}

async function doWork(lane: Lane): Promise<void> {
  for (const claim of await lane.claim(kinds.works, 1 + lane.roll(3))) await workOn(lane, claim);
}

async function workOn(lane: Lane, claim: Claim): Promise<void> {
  const { key, token, uid, revision } = claim;
  const fence = { key, token };
  const afterMs = lane.roll(maxRestMs);
  const release = { kind: "release", afterMs, attempts: "reset" } as const;
  const when = { kind: "revision", revision } as const;
  const choice = lane.roll(20);
  if (choice < 3) {
    lane.stale.push({ ...fence, sinceUs: nowUs() });
    if (lane.stale.length > 8) lane.stale.shift();
  } else if (choice < 5) {
    await lane.submit([{ kind: "delete", cause: systemCause, key, when, claim: fence }]);
  } else if (choice < 8) {
    const status = lane.put(key, { when, claim: fence }, { uid, spec: { token, releases: false } });
    await lane.submit([status]);
    await lane.submit([
      { kind: "schedule", key, when: { kind: "exists" }, claim: fence, due: release },
    ]);
  } else {
    if (choice < 10) await lane.renew(fence);
    const spec = { token, releases: true };
    await lane.submit([lane.put(key, { when, claim: fence, due: release }, { uid, spec })]);
  }
}

/** A worker that was away too long, and does not know that its lease has ended. */
async function writeAsZombie(lane: Lane): Promise<void> {
  const oldest = lane.stale[0];
  if (oldest === undefined) return;
  const hasEnded = nowUs() - oldest.sinceUs > 1_200 * leaseMs;
  if (!hasEnded && lane.chance(0.9)) return;
  lane.stale.shift();
  const fence = { key: oldest.key, token: oldest.token };
  const record = await lane.store.get(fence.key);
  if (record === undefined) return;
  const spec = { token: fence.token, releases: false };
  const when = { kind: "exists" } as const;
  await lane.submit([lane.put(fence.key, { when, claim: fence }, { uid: record.uid, spec })]);
}
