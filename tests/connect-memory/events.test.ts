// A stream of events that comes, breaks and comes again, with a clock that the test moves.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { EventListener, FollowStream } from "../../src/modules/connect/http/event-stream.ts";
import { followEvents } from "../../src/modules/connect/kinds/follow-events.ts";
import { conditionOf, connectVersion, messageOf, openMemoryConnect } from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import type { MemoryService } from "./memory-service.ts";

const at = { apiVersion: connectVersion, kind: "Connection", name: "service" };

interface Stream {
  readonly follow: FollowStream;
  /** Paths that were asked for so far. */
  readonly asked: string[];
  listener: EventListener | undefined;
  /** Set: the next tries end with it. */
  refusal: string | undefined;
  end: (reason: string) => void;
}

function memoryStream(): Stream {
  const stream: Stream = {
    asked: [],
    listener: undefined,
    refusal: undefined,
    end: () => undefined,
    follow: async (_settings, path, _ports, listener, signal) => {
      stream.asked.push(path);
      if (stream.refusal !== undefined) return stream.refusal;
      const ended = Promise.withResolvers<string>();
      stream.end = ended.resolve;
      signal.addEventListener("abort", () => ended.resolve("aborted"), { once: true });
      stream.listener = listener;
      listener.opened();
      return await ended.promise;
    },
  };
  return stream;
}

const options = (stream: Stream) => ({
  binding: { resyncSeconds: 100_000 },
  connection: { events: { id: "/object", websocket: "/events?type=all" } },
  streams: { followStream: stream.follow },
});
const paint = ({ objects }: MemoryService, name: string, color: string): void =>
  void objects.set(`/things/${name}`, { id: name, name, color });
const connectionIn = async ({ memory }: MemoryConnect) => await memory.read(at);

it("looks at what the stream tells of in two seconds, and at nothing else", async () => {
  const stream = memoryStream();
  await using connect = await openMemoryConnect(options(stream));
  const { service, pass } = connect;
  for (const name of ["a", "b"]) await connect.make(name, { name, color: "red" });
  await pass();
  assert.deepEqual(stream.asked, ["/events?type=all"]);
  assert.equal(conditionOf(await connectionIn(connect), "EventsFollowed"), "True Following");
  for (const name of ["a", "b"]) paint(service, name, "green");
  for (const text of ["no event", '{"object":"unknown"}', '{"object":7}', '[{"object":"a"}]']) {
    stream.listener?.event(text);
  }
  await pass(2_000);
  assert.equal(service.objects.get("/things/a")?.["color"], "red");
  assert.equal(service.objects.get("/things/b")?.["color"], "green");
});

it("goes on without the stream, and looks at everything once it is there again", async () => {
  const stream = memoryStream();
  await using connect = await openMemoryConnect(options(stream));
  const { service, pass } = connect;
  for (const name of ["a", "b"]) await connect.make(name, { name, color: "red" });
  await pass(20_000);
  const requests = service.log.length;
  stream.refusal = "the connection was refused";
  stream.end("the connection was lost");
  await pass(10_000);
  assert.equal(service.log.length, requests, "a service that is down is not asked by all at once");
  const lost = await connectionIn(connect);
  assert.equal(conditionOf(lost, "EventsFollowed"), "False Disconnected");
  assert.match(messageOf(lost, "EventsFollowed"), /refused; objects are still checked/);
  // Nobody tells of this; a changed spec is brought there all the same.
  for (const name of ["a", "b"]) paint(service, name, "green");
  await connect.change("a", { spec: { color: "blue" } });
  await pass();
  assert.equal(service.objects.get("/things/a")?.["color"], "blue");
  const tries = stream.asked.length;
  await pass(600_000);
  assert.ok(stream.asked.length - tries < 20, "less and less often");
  assert.equal(service.objects.get("/things/b")?.["color"], "green");
  stream.refusal = undefined;
  await pass(62_000);
  assert.equal(service.objects.get("/things/b")?.["color"], "red");
  assert.equal(conditionOf(await connectionIn(connect), "EventsFollowed"), "True Following");
});

it("looks at everything when more is told than can be told apart", async () => {
  const stream = memoryStream();
  await using connect = await openMemoryConnect(options(stream));
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  paint(service, "a", "green");
  for (let index = 0; index < 2_000; index++) stream.listener?.event(`{"object":"n${index}"}`);
  await pass(2_000);
  assert.equal(service.objects.get("/things/a")?.["color"], "red");
});

it("ends with what the Connection says, and begins anew when it says otherwise", async () => {
  const stream = memoryStream();
  await using connect = await openMemoryConnect(options(stream));
  const change = async (websocket: string | null): Promise<void> => {
    await connect.memory.patch(at, { spec: { events: { websocket } } });
    await connect.pass();
  };
  await change("/other");
  assert.deepEqual(stream.asked, ["/events?type=all", "/other"]);
  await change(null);
  assert.equal(conditionOf(await connectionIn(connect), "EventsFollowed"), " ");
  await connect.pass(120_000);
  assert.equal(stream.asked.length, 2);
  for (const wrong of ["events", "/events?filter=a b", "/events#all", "/\u20ac"]) {
    await assert.rejects(change(wrong), /spec.events.websocket/, wrong);
  }
});

it("is opened again when its opening throws, and tells that", async () => {
  const stream = memoryStream();
  let isWrong = true;
  const follow: FollowStream = async (...given) => {
    if (!isWrong) return await stream.follow(...given);
    stream.asked.push("in vain");
    throw Object.assign(new TypeError("with a secret"), { code: "ERR_UNESCAPED_CHARACTERS" });
  };
  await using connect = await openMemoryConnect(options({ ...stream, follow }));
  await connect.pass(600_000);
  assert.ok(stream.asked.length > 5, `${stream.asked.length}`);
  const broken = await connectionIn(connect);
  assert.equal(conditionOf(broken, "EventsFollowed"), "False Disconnected");
  assert.match(messageOf(broken, "EventsFollowed"), /not be opened \(ERR_UNESCAPED_CHARACTERS\);/);
  isWrong = false;
  await connect.pass(62_000);
  assert.equal(conditionOf(await connectionIn(connect), "EventsFollowed"), "True Following");
});

it("takes back what was told of a stream that nobody follows any more", async () => {
  await using connect = await openMemoryConnect();
  const type = "EventsFollowed";
  const told = { type, status: "True", reason: "Following", message: "" };
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const status = { conditions: [{ ...told, lastTransitionTime }] };
  await connect.memory.patch({ ...at, subresource: "status" }, { status });
  await connect.pass();
  assert.equal(conditionOf(await connectionIn(connect), type), " ");
});

it("is not told again and again by servers that fare differently", async () => {
  const stream = memoryStream();
  await using connect = await openMemoryConnect(options(stream));
  const { memory, pass } = connect;
  const other = memoryStream();
  other.refusal = "the name is not known here";
  const second = followEvents({
    intents: memory.plane.intents,
    ports: memory.surroundings,
    secretOf: () => Promise.resolve(undefined),
    onError: (error) => assert.fail(String(error)),
    follow: other.follow,
  });
  const isQuiet = async (): Promise<void> => {
    await pass(70_000);
    const before = (await connectionIn(connect))?.metadata.resourceVersion;
    const tries = other.asked.length;
    await pass(600_000);
    assert.ok(other.asked.length > tries, "it is tried all the time");
    assert.equal((await connectionIn(connect))?.metadata.resourceVersion, before);
  };
  await isQuiet();
  stream.refusal = "the connection was refused";
  stream.end("the connection was lost");
  await isQuiet();
  await second[Symbol.asyncDispose]();
});

it("overwrites what a server said that does not follow, be it dead or not", async () => {
  const stream = memoryStream();
  await using connect = await openMemoryConnect(options(stream));
  await connect.pass();
  const told = { type: "EventsFollowed", status: "False", reason: "Disconnected", message: "x" };
  const conditions = [{ ...told, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  await connect.memory.patch({ ...at, subresource: "status" }, { status: { conditions } });
  await connect.pass(6_000);
  assert.equal(conditionOf(await connectionIn(connect), "EventsFollowed"), "True Following");
  // Nobody follows any more: then that is what is shown.
  stream.refusal = "the connection was refused";
  stream.end("the connection was lost");
  await connect.pass(60_000);
  assert.equal(conditionOf(await connectionIn(connect), "EventsFollowed"), "False Disconnected");
});
