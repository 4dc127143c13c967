/**
 * The Resource Manager surface beside the Kubernetes surface, on the same kind in the same server:
 * how many resources a second go from their PUT to their end while clients ask for it without a
 * pause, and how many a second can be read. The two take turns; the median of the rounds counts.
 * How often a client has to ask is part of it, and is told: the Resource Manager surface answers a
 * poll when there is something to tell.
 */
import { join } from "node:path";
import { startPostgres } from "../tests/peers/postgres.ts";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { LoadConnection, httpLoad, requestBytes } from "./http-load.ts";
import type { Answer, LoadTarget } from "./http-load.ts";
import { json } from "./kube-objects.ts";
import { concurrently, duel, rate } from "./measure.ts";
import type { Contest, Duel } from "./measure.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const connections = 32;
/**
 * Short rounds, and many of them: rounds of the same side differ by a fifth from each other, since
 * single flushes take as long as twenty others and the machine changes its pace. The error of the
 * median is 0.04 then; with seven rounds of the double it was 0.08.
 */
const trips = 500;
const tripRounds = 41;
const reads = 4_000;
const readRounds = 31;
/** Of the compiler: one surface has more code than the other, and a server runs all day. */
const warmUps = 6;
/** Within a fifth of the surface that does less. */
const least = 0.8;

const subscription = "11111111-2222-3333-4444-555555555555";
const stones = `/subscriptions/${subscription}/resourceGroups/pit/providers/Example.Quarry/stones`;
const version = "api-version=2026-01-01";
const kubeStones = `/apis/bench.setpoint.dev/v1/namespaces/sub-${subscription}/stones`;
const padding = "x".repeat(600);
const args = ["--module", join(import.meta.dirname, "arm-module.ts")];

export async function arm(folder: string): Promise<readonly Row[]> {
  const embedded = await startSetpoint({ data: join(folder, "arm"), args });
  const rows = await rowsOf("SQLite", embedded);
  await embedded.stop();
  await using postgres = await startPostgres();
  const store = postgres.url(await postgres.createDatabase());
  await using server = await startSetpoint({ store, args });
  return [...rows, ...(await rowsOf("PostgreSQL", server))];
}

async function rowsOf(title: string, server: Setpoint): Promise<readonly Row[]> {
  console.error(`bench: arm: ${title}`);
  const path = `/subscriptions/${subscription}?api-version=2.0`;
  const told = await server.ask(path, { method: "PUT", body: { state: "Registered" } });
  if (told.status !== 200) throw new Error(`the subscription was refused: ${String(told.body)}`);
  const sides = new Sides(server);
  const say = (what: string, value: number): number => {
    console.error(`bench: arm: ${title}: ${what}: ${figure(value, "/s")}`);
    return value;
  };
  const trip: Contest = {
    name: "round trips",
    unit: "/s",
    raw: async () => say("kube, POST to the end", await sides.roundTrips("kube")),
    ours: async () => say("arm, PUT to the end", await sides.roundTrips("arm")),
  };
  for (let round = 0; round < warmUps; round += 1) {
    await sides.roundTrips("kube");
    await sides.roundTrips("arm");
  }
  const made = await duel(trip, tripRounds);
  const get: Contest = {
    name: "reads",
    unit: "/s",
    raw: async () => say("kube, GET", await sides.reads("kube")),
    ours: async () => say("arm, GET", await sides.reads("arm")),
  };
  const read = await duel(get, readRounds);
  return [
    row(`ARM on ${title}: PUT to Succeeded, ${connections} connections`, made),
    row(`ARM on ${title}: GET, ${connections} connections`, read),
  ];
}

function row(what: string, { raw, ours, ratio }: Duel): Row {
  return {
    what,
    raw: figure(raw, "/s kube"),
    ours: figure(ours, "/s"),
    result: `${ratio.toFixed(2)}x`,
    asked: `${least}x`,
    isMet: ratio >= least,
  };
}

type Side = "arm" | "kube";

class Sides {
  readonly #target: LoadTarget;
  readonly #token: string;
  #round = 0;

  constructor(server: Setpoint) {
    const { hostname: host, port } = new URL(server.url);
    this.#target = { host, port: Number(port), ca: server.ca };
    this.#token = server.token;
  }

  /** Each is made and asked for until it is done, one after the other on each connection. */
  async roundTrips(side: Side): Promise<number> {
    this.#round += 1;
    const names = Array.from({ length: trips }, (_, i) => `s${this.#round}-${i}`);
    const trip = side === "arm" ? this.#throughArm : this.#throughKube;
    using stack = new DisposableStack();
    const opening = Array.from({ length: connections }, () => LoadConnection.open(this.#target));
    const free = (await Promise.all(opening)).map((connection) => stack.use(connection));
    let polls = 0;
    const perSecond = await rate(async () => {
      return await concurrently(connections, trips, async (index) => {
        const connection = free.pop();
        if (connection === undefined) throw new Error("there is a connection for each");
        const times = await trip(connection, names[index] ?? "", index);
        polls += times;
        free.push(connection);
      });
    });
    console.error(`bench: arm: ${side}: asked ${(polls / trips).toFixed(1)} times for each`);
    return perSecond;
  }

  async reads(side: Side): Promise<number> {
    const path = side === "arm" ? `${stones}/read?${version}` : `${kubeStones}/read`;
    await this.#make(side);
    const get = requestBytes("GET", path, this.#token);
    const load = { target: this.#target, connections, requests: reads, request: () => get };
    const { perSecond, statuses } = await httpLoad(load);
    if (statuses.get(200) !== reads) throw new Error(`${path}: ${JSON.stringify([...statuses])}`);
    return perSecond;
  }

  async #make(side: Side): Promise<void> {
    using connection = await LoadConnection.open(this.#target);
    const trip = side === "arm" ? this.#throughArm : this.#throughKube;
    await trip(connection, "read", 1, [409]);
  }

  readonly #throughArm = async (
    connection: LoadConnection,
    name: string,
    size: number,
  ): Promise<number> => {
    const body = { location: "westeurope", properties: specOf(size) };
    const put = this.#bytes("PUT", `${stones}/${name}?${version}`, body);
    const { status, text } = await ask(connection, put);
    if (status !== 201 && status !== 200) throw new Error(text);
    const [, url] = /^azure-asyncoperation: https:\/\/[^/]+(.*)\r$/im.exec(text) ?? [];
    if (url === undefined) return 0;
    const poll = requestBytes("GET", url, this.#token);
    return await asked(connection, poll, (answer) => answer.includes('"status":"Succeeded"'));
  };

  readonly #throughKube = async (
    connection: LoadConnection,
    name: string,
    size: number,
    known: readonly number[] = [],
  ): Promise<number> => {
    const head = { apiVersion: "bench.setpoint.dev/v1", kind: "Stone", metadata: { name } };
    const post = this.#bytes("POST", kubeStones, { ...head, spec: specOf(size) });
    const { status, text } = await ask(connection, post);
    if (status !== 201 && !known.includes(status)) throw new Error(text);
    const poll = requestBytes("GET", `${kubeStones}/${name}`, this.#token);
    return await asked(connection, poll, isReady);
  };

  #bytes(method: string, path: string, body: unknown): Buffer {
    return requestBytes(method, path, this.#token, json(JSON.stringify(body)));
  }
}

function specOf(size: number): object {
  return { size, text: padding, items: ["a", "b", "c"] };
}

function isReady(text: string): boolean {
  return /"type":"Ready","status":"True"/.test(text);
}

/** How often it had to be asked until the answer was the one that is waited for. */
async function asked(
  connection: LoadConnection,
  poll: Buffer,
  isIt: (text: string) => boolean,
): Promise<number> {
  let polls = 1;
  while (!isIt((await ask(connection, poll)).text)) polls += 1;
  return polls;
}

async function ask(
  connection: LoadConnection,
  request: Buffer,
): Promise<{ readonly status: number; readonly text: string }> {
  const { status, body } = await new Promise<Answer>((resolve, reject) => {
    connection.ask(request, resolve, reject);
  });
  return { status, text: body.toString("latin1") };
}
