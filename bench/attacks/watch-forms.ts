/**
 * One tenant holds watches that cannot share everything (other selectors, Tables, metadata), and
 * changes large documents as fast as it may: each change concerns every watch.
 */
import { connect } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { askOnce, inLoops } from "../attack.ts";
import type { Account, Attack, AttackTarget } from "../attack.ts";

const streamsPerSession = 200;
const watches = 5_000;
const writers = 4;
const againMs = 200;
/** How long the watches may take to begin before the first change. */
const openMs = 2_000;

interface Watch {
  readonly query: string;
  readonly accept: string;
}

const json = "application/json";
const as = (shape: string): string => `application/json;as=${shape};g=meta.k8s.io;v=v1`;

/** 20,000 fields are nearly as many as one document may have, and cost more than one long text. */
const manyFields = Object.fromEntries(
  Array.from({ length: 20_000 }, (_, at) => [`field-${at}`, "x".repeat(32)]),
);

export const attacks: readonly Attack[] = [
  watching("selector-watches", (at) => ({ query: `&labelSelector=no!%3D${at}`, accept: json })),
  // Every second change takes the document out of all selections.
  watching("leaving-watches", (at) => ({
    query: `&labelSelector=side%3D0,no!%3D${at}`,
    accept: json,
  })),
  watching("table-watches", (at) => ({
    query: `&labelSelector=no!%3D${at}&includeObject=Object`,
    accept: as("Table"),
  })),
  watching("metadata-watches", (at) => ({
    query: `&labelSelector=no!%3D${at}`,
    accept: as("PartialObjectMetadata"),
  })),
  // Each has a thousand values.
  watching("long-selectors", (at) => ({
    query: `&labelSelector=side%20notin%20(${values(at)})`,
    accept: json,
  })),
  // Each begins with large documents, again and again.
  watching("first-states", (at) => ({
    query: `&${firstStates}&labelSelector=no!%3D${at}&includeObject=Object&timeoutSeconds=2`,
    accept: as("Table"),
  })),
];

const firstStates = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

function values(at: number): string {
  return Array.from({ length: 1_000 }, (_, value) => `${at}-${value}`).join(",");
}

function watching(name: string, watchAt: (at: number) => Watch): Attack {
  return {
    name,
    prepare: (target) => create(target, writers),
    run: async (target, signal) => {
      newest = await headOf(target);
      const sessions: ClientHttp2Session[] = [];
      for (let at = 0; at < watches; at += streamsPerSession) {
        const session = sessionOf(target);
        sessions.push(session);
        const account = accountOf(target, at / streamsPerSession);
        for (let number = 0; number < streamsPerSession; number++) {
          open({ session, target, account }, watchAt(at + number));
        }
      }
      await sleep(openMs, undefined, { signal });
      await inLoops(writers, signal, (loop) => change(target, loop));
      for (const session of sessions) session.destroy();
    },
  };
}

function accountOf({ accounts }: AttackTarget, at: number): Account {
  const account = accounts[at % accounts.length];
  if (account === undefined) throw new Error("the attacker has no account");
  return account;
}

function sessionOf({ host, port, ca }: AttackTarget): ClientHttp2Session {
  // A large window, so that the server is what limits the rate.
  const settings = { initialWindowSize: 8 * 1_024 * 1_024 };
  const session = connect(`https://${host}:${port}`, { ca, settings });
  session.setMaxListeners(0);
  session.on("error", () => undefined); // The server may close the connection.
  session.once("connect", () => {
    if (!session.destroyed) session.setLocalWindowSize(64 * 1_024 * 1_024);
  });
  return session;
}

interface Opening {
  readonly session: ClientHttp2Session;
  readonly target: AttackTarget;
  readonly account: Account;
}

/** A watch that the server ends is opened again, at the newest revision. */
function open(opening: Opening, watch: Watch): void {
  const { session, target, account } = opening;
  const { query, accept } = watch;
  const stream = session.request({
    ":path": `${pathOf(target)}?watch=1${query}${begins(query)}`,
    authorization: `Bearer ${account.token}`,
    accept,
  });
  stream.on("error", () => undefined);
  stream.once("close", () => {
    setTimeout(() => {
      if (!session.destroyed) open(opening, watch);
    }, againMs);
  });
  stream.resume();
}

async function headOf(target: AttackTarget): Promise<number> {
  const path = `${pathOf(target)}?limit=1&labelSelector=none`;
  const { body } = await askOnce(target, accountOf(target, 0), ["GET", path]);
  return revisionIn(body);
}

function pathOf({ namespace }: AttackTarget): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

async function create(target: AttackTarget, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const document = { metadata: { name: `wide-${at}` }, data: manyFields };
    const body = { type: json, text: JSON.stringify(document) };
    const { status } = await askOnce(target, target.admin, ["POST", pathOf(target)], body);
    if (status !== 201) throw new Error(`a large document was refused: ${status}`);
  }
}

let changes = 0;
let newest = 0;

function begins(query: string): string {
  return query.includes("sendInitialEvents") ? "" : `&resourceVersion=${newest}`;
}

async function change(target: AttackTarget, at: number): Promise<void> {
  changes += 1;
  const labels = { side: String(changes % 2), change: String(changes) };
  const text = JSON.stringify({ metadata: { labels } });
  const path = `${pathOf(target)}/wide-${at}`;
  const type = "application/merge-patch+json";
  const { body } = await askOnce(target, accountOf(target, at), ["PATCH", path], { type, text });
  newest = Math.max(newest, revisionIn(body));
}

function revisionIn(body: Buffer): number {
  return Number(/"resourceVersion":"(\d+)"/.exec(body.toString("latin1", 0, 4_096))?.[1] ?? 0);
}
