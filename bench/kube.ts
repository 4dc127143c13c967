/**
 * The Kubernetes surface: throughput, latency, lists, watches, memory and start, side by side with
 * a bare HTTPS server of Node in the same run, and as multiples of kube-apiserver (kube-peer.ts).
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { startProgram } from "../tests/peers/child.ts";
import type { Program } from "../tests/peers/child.ts";
import { serverFlags } from "../tests/peers/server-flags.ts";
import { LoadConnection, httpLoad, requestBytes } from "./http-load.ts";
import type { Answer, LoadResult, LoadTarget } from "./http-load.ts";
import { collection, creation, definition, gadget, json, mergePatch } from "./kube-objects.ts";
import { peer } from "./kube-peer.ts";
import { median } from "./measure.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";
import { watchLoad } from "./watch-load.ts";

const connections = 64;
const rounds = 3;
const perRound = 8_000;

interface Server {
  readonly program: Program;
  readonly target: LoadTarget;
  readonly token: string;
}

export interface KubeBenchInput {
  readonly title: string;
  readonly folder: string;
  /** As for --store; the embedded one when left out. */
  readonly store?: string;
  /** The short form: throughput only. */
  readonly isShort?: boolean;
}

export async function kube(input: KubeBenchInput): Promise<readonly Row[]> {
  const data = join(input.folder, input.title.replaceAll(" ", "-"));
  const server = await startServer(data, input.store);
  await using bare = await startBare(data, server.target.ca);
  const rows: Row[] = [];
  try {
    const made = await ask(
      server,
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      json(JSON.stringify(definition)),
    );
    if (made.status !== 201) throw new Error(`the definition was refused: ${made.body.toString()}`);
    console.error(`bench: ${input.title}: throughput`);
    const speeds = await throughput(server, bare);
    const scale = median(speeds.bare) / peer.bareHttps;
    rows.push(...speeds.rows(input.title, scale));
    if (input.isShort !== true) {
      console.error(`bench: ${input.title}: latencies, lists, watches`);
      rows.push(...(await latencies(server, input.title, scale)));
      rows.push(...(await lists(server, input.title, scale)));
      rows.push(...(await watches(server, input.title)));
    }
  } finally {
    await stop(server.program);
  }
  if (input.isShort !== true) rows.push(...(await sizes(data, input)));
  await rm(data, { recursive: true, force: true });
  return rows;
}

type Operation = "create" | "get" | "update" | "patch" | "mixed" | "delete";
const asked: Readonly<Record<Operation, readonly [first: number, goal: number]>> = {
  create: [5, 10],
  update: [5, 10],
  patch: [5, 10],
  get: [6, 9],
  mixed: [5, 9],
  delete: [5, 10],
};

interface Speeds {
  readonly bare: readonly number[];
  rows(title: string, scale: number): readonly Row[];
}

async function throughput(server: Server, bare: Bare): Promise<Speeds> {
  const found: Record<Operation, number[]> = {
    create: [],
    get: [],
    update: [],
    patch: [],
    mixed: [],
    delete: [],
  };
  const raw: number[] = [];
  // The first round is for the compiler and the caches.
  for (let round = 0; round <= rounds; round++) {
    const once = await oneRound(server, round);
    const limit = await httpLoad({
      ...bare,
      connections,
      requests: perRound * 2,
      request: () => bare.request,
    });
    if (round === 0) continue;
    raw.push(limit.perSecond);
    for (const [name, value] of Object.entries(once)) found[name as Operation].push(value);
  }
  return {
    bare: raw,
    rows: (title, scale) =>
      (Object.keys(asked) as Operation[]).map((name) => {
        const ours = median(found[name]);
        const theirs = peer[name] * scale;
        const [first, goal] = asked[name];
        return {
          what: `${title}: ${name}, ${connections} connections`,
          raw: figure(median(raw), "/s bare"),
          ours: figure(ours, "/s"),
          result: `${(ours / theirs).toFixed(1)}x kube (${(ours / median(raw)).toFixed(2)}x bare)`,
          asked: `${first}x (${goal}x)`,
          isMet: ours / theirs >= first,
        };
      }),
  };
}

async function oneRound(server: Server, round: number): Promise<Record<Operation, number>> {
  const { target, token } = server;
  const name = (i: number): string => `g${round}-${i}`;
  const path = (i: number): string => `${collection}/${name(i)}`;
  const all = Array.from({ length: perRound }, (_, i) => i);
  const run = async (requests: readonly Buffer[], status: number): Promise<number> => {
    const request = (i: number): Buffer => requests[i] ?? Buffer.alloc(0);
    const result = await httpLoad({ target, connections, requests: requests.length, request });
    expectOnly(result, status);
    return result.perSecond;
  };
  const create = await run(
    all.map((i) => creation(token, name(i), i)),
    201,
  );
  const gets = all.map((i) => requestBytes("GET", path((i * 7_919) % perRound), token));
  const get = await run(gets, 200);
  const revisions = await revisionsOf(server, `g${round}-`);
  const puts = all.map((i) =>
    requestBytes("PUT", path(i), token, json(gadget(name(i), i + 1, revisions.get(name(i))))),
  );
  const update = await run(puts, 200);
  const patch = await run(
    all.map((i) => requestBytes("PATCH", path(i), token, mergePatch(i + 2))),
    200,
  );
  const mix = all.map((i) =>
    i % 5 === 0
      ? requestBytes("PATCH", path(i), token, mergePatch(i + 3))
      : (gets[i] ?? Buffer.alloc(0)),
  );
  const mixed = await run(mix, 200);
  const remove = await run(
    all.map((i) => requestBytes("DELETE", path(i), token)),
    200,
  );
  return { create, get, update, patch, mixed, delete: remove };
}

function expectOnly({ statuses }: LoadResult, status: number): void {
  if (statuses.size === 1 && statuses.has(status)) return;
  throw new Error(`expected only ${status}, got ${JSON.stringify([...statuses])}`);
}

async function revisionsOf(server: Server, prefix: string): Promise<ReadonlyMap<string, string>> {
  const { body } = await ask(server, "GET", `${collection}?limit=100000`);
  const text = body.toString("utf8");
  const pattern = /"resourceVersion":"(\d+)","name":"([^"]+)"/g;
  const pairs = [...text.matchAll(pattern)].map(
    ([, revision = "", name = ""]) => [name, revision] as const,
  );
  return new Map(pairs.filter(([name]) => name.startsWith(prefix)));
}

async function latencies(server: Server, title: string, scale: number): Promise<readonly Row[]> {
  const { target, token } = server;
  expectStatus(await ask(server, "POST", collection, json(gadget("one", 1))), 201);
  const get = requestBytes("GET", `${collection}/one`, token);
  const gets = await httpLoad({ target, connections: 1, requests: 4_000, request: () => get });
  const patches = await httpLoad({
    target,
    connections: 1,
    requests: 2_000,
    request: (i) => requestBytes("PATCH", `${collection}/one`, token, mergePatch(i)),
  });
  return [
    timeRow(`${title}: get, one connection, p50`, gets.p50Ms, peer.getOneMs / scale, 4, 6),
    timeRow(`${title}: patch, one connection, p50`, patches.p50Ms, peer.patchOneMs / scale, 2, 4),
  ];
}

const listed = 10_000;

async function lists(server: Server, title: string, scale: number): Promise<readonly Row[]> {
  const { target, token } = server;
  await httpLoad({
    target,
    connections,
    requests: listed,
    request: (i) => creation(token, `l-${i}`, i),
  });
  const paged: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const pagedMs = await timed(() => readPages(server));
    const wholeMs = await timed(() => ask(server, "GET", collection));
    if (round > 0) paged.push(pagedMs);
    if (round > 0) whole.push(wholeMs);
  }
  return [
    timeRow(`${title}: list 10,000, pages of 500`, median(paged), peer.listPagedMs / scale, 8, 20),
    timeRow(`${title}: list 10,000 in one answer`, median(whole), peer.listWholeMs / scale, 6, 12),
  ];
}

async function readPages(server: Server): Promise<void> {
  using connection = await LoadConnection.open(server.target);
  let token = "";
  do {
    const path = `${collection}?limit=500${token === "" ? "" : `&continue=${token}`}`;
    const request = requestBytes("GET", path, server.token);
    const { body } = await new Promise<Answer>((resolve, reject) => {
      connection.ask(request, resolve, reject);
    });
    token = /"continue":"([^"]+)"/.exec(body.toString("latin1", 0, 2_000))?.[1] ?? "";
  } while (token !== "");
}

async function watches(server: Server, title: string): Promise<readonly Row[]> {
  const { target, token } = server;
  const most = { 1: peer.watchP99Ms[1], 100: peer.watchP99Ms[100] / 5, 500: 300, 1_000: 300 };
  const goal = { 1: peer.watchP99Ms[1] / 3, 100: peer.watchP99Ms[100] / 20, 500: 60, 1_000: 150 };
  const rows: Row[] = [];
  for (const watchers of [1, 100, 500, 1_000] as const) {
    const load = { watchers, seconds: 5, writesPerSecond: 200, name: "one" };
    const { p50Ms, p99Ms, delivered, cutOff } = await watchLoad({ target, token, ...load });
    rows.push({
      what: `${title}: ${watchers} watchers, 200 writes/s`,
      raw: `kube p99 ${peer.watchP99Ms[watchers]} ms`,
      ours: `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms`,
      result: `${(delivered * 100).toFixed(1)} % delivered, ${cutOff} cut off`,
      asked: `all, p99 < ${most[watchers].toFixed(0)} ms (${goal[watchers].toFixed(1)})`,
      isMet: delivered >= 1 && cutOff === 0 && p99Ms < most[watchers],
    });
  }
  return rows;
}

const many = 100_000;

/** Memory after 100,000 creations, and how long a server with them needs until it is ready. */
async function sizes(data: string, { title, store }: KubeBenchInput): Promise<readonly Row[]> {
  console.error(`bench: ${title}: memory and start`);
  const filled = await startServer(data, store);
  const { target, token } = filled;
  await httpLoad({
    target,
    connections,
    requests: many,
    request: (i) => creation(token, `m-${i}`, i),
  });
  const memory = await memoryMiB(filled.program.pid);
  await stop(filled.program);
  const start = performance.now();
  const again = await startServer(data, store);
  const seconds = (performance.now() - start) / 1_000;
  await stop(again.program);
  const ratio = memory / peer.memoryMiB;
  return [
    {
      what: `${title}: memory after 100,000 creations`,
      raw: `kube ${peer.memoryMiB} MiB`,
      ours: figure(memory, "MiB"),
      result: `${ratio.toFixed(2)}x kube`,
      asked: "<= 0.5x (0.25x)",
      isMet: ratio <= 0.5,
    },
    {
      what: `${title}: start with 100,000 resources`,
      raw: "kube 2.3 s",
      ours: figure(seconds, "s"),
      result: figure(seconds, "s"),
      asked: "< 1 s",
      isMet: seconds < 1,
    },
  ];
}

async function memoryMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

function timeRow(what: string, ours: number, theirs: number, first: number, goal: number): Row {
  const ratio = theirs / ours;
  return {
    what,
    raw: `kube ${theirs.toFixed(2)} ms`,
    ours: figure(ours, "ms"),
    result: `${ratio.toFixed(1)}x faster`,
    asked: `${first}x (${goal}x)`,
    isMet: ratio >= first,
  };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function ask(
  { target, token }: Server,
  method: string,
  path: string,
  body?: { readonly type: string; readonly text: string },
): Promise<Answer> {
  using connection = await LoadConnection.open(target);
  return await new Promise<Answer>((resolve, reject) => {
    connection.ask(requestBytes(method, path, token, body), resolve, reject);
  });
}

function expectStatus({ status, body }: Answer, wanted: number): void {
  if (status !== wanted) throw new Error(`expected ${wanted}, got ${status}: ${body.toString()}`);
}

async function startServer(data: string, store: string | undefined): Promise<Server> {
  const program = await startProgram("src/cli/main.ts", {
    args: [
      "serve",
      "--data",
      data,
      "--listen",
      "127.0.0.1:0",
      ...(store === undefined ? [] : ["--store", store]),
    ],
    nodeArgs: serverFlags,
  });
  const [, port] = await program.waitForLine(/is ready on https:\/\/127\.0\.0\.1:(\d+)/);
  const ca = await readFile(join(data, "ca.crt"), "utf8");
  const token = (await readFile(join(data, "admin.token"), "utf8")).trim();
  return { program, target: { host: "127.0.0.1", port: Number(port), ca }, token };
}

async function stop(program: Program): Promise<void> {
  program.signal("SIGTERM");
  await program.waitForExit();
}

interface Bare extends AsyncDisposable {
  readonly target: LoadTarget;
  readonly request: Buffer;
}

/** With the certificate of our own server, so that both do the same cryptography. */
async function startBare(data: string, ca: string): Promise<Bare> {
  const program = await startProgram("bench/bare-https.ts", {
    args: [join(data, "server.pem")],
    nodeArgs: serverFlags,
  });
  const [, port] = await program.waitForLine(/listening (\d+)/);
  return {
    target: { host: "127.0.0.1", port: Number(port), ca },
    request: requestBytes("GET", "/", "none"),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
