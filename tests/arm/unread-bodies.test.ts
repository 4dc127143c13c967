// Who asks and what is meant is known before a body is wanted, on the wire as well: nobody is told
// to send one that is refused, and nobody can have the server take more than a little of it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { after, before, it } from "node:test";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";
import { limits } from "../../src/kernel/limits.ts";
import { waitUntil } from "../peers/wait.ts";
import { oven, ovens, startArmServer } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

const configMaps = "/api/v1/namespaces/default/configmaps";

async function open(): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), ca: server.ca });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

/** The lines of a request up to its body. */
function head(first: string, headers: Readonly<Record<string, string | number>>): string {
  const all = { host: "localhost", "content-type": "application/json", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${first} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

/** Everything that comes until the text is there or the connection ends. */
async function readUntil(socket: TLSSocket, text: string): Promise<string> {
  let read = "";
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    read += String(part);
    if (read.includes(text)) break;
  }
  return read;
}

function credentials(): { readonly authorization: string } {
  return { authorization: `Bearer ${server.token}` };
}

/** Sends without end, as fast as it goes, and tells how much the server took. */
async function flood(socket: TLSSocket, maxBytes: number): Promise<number> {
  const part = Buffer.alloc(64 * 1_024, 32);
  let sent = 0;
  const closed = once(socket, "close");
  while (!socket.destroyed && sent < maxBytes) {
    sent += part.length;
    if (!socket.write(part)) await Promise.race([once(socket, "drain"), closed]);
  }
  return sent;
}

for (const [surface, first] of [
  ["Resource Manager", `PUT ${oven("one")}`],
  ["Kubernetes", `POST ${configMaps}`],
] as const) {
  it(`takes little of a body of nobody, and ends the connection (${surface})`, async () => {
    const socket = await open();
    socket.write(head(first, { "content-length": 400_000_000 }));
    const answer = await readUntil(socket, "\r\n\r\n");
    assert.match(answer, /^HTTP\/1\.1 40[13] [^]*\r\nconnection: close\r\n/i);
    socket.resume();
    const sent = await flood(socket, 200_000_000);
    // Buffers on the way hold some more.
    assert.ok(sent < 4 * limits.maxLingerBytes, `${sent} bytes were taken`);
    assert.ok(socket.destroyed);
  });

  it(`gives an idle client a short time to read why it is refused (${surface})`, async () => {
    const socket = await open();
    const start = Date.now();
    socket.write(head(first, { "content-length": 400_000_000 }));
    await readUntil(socket, "\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    assert.ok(Date.now() - start < limits.lingerMs + 5_000);
    socket.destroy();
  });

  it(`asks nobody unknown for a body (${surface})`, async () => {
    const socket = await open();
    socket.write(head(first, { "content-length": 2, expect: "100-continue" }));
    const answer = await readUntil(socket, "\r\n\r\n");
    assert.match(answer, /^HTTP\/1\.1 40[13] /);
    socket.destroy();
  });

  it(`asks for a body that it reads (${surface})`, async () => {
    const socket = await open();
    const more = { "content-length": 2, expect: "100-continue", ...credentials() };
    socket.write(head(first, more));
    assert.match(await readUntil(socket, "\r\n\r\n"), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write("{}");
    const answer = await readUntil(socket, "\r\n\r\n");
    assert.match(answer, /^HTTP\/1\.1 4\d\d /);
    assert.doesNotMatch(answer, /connection: close/i);
    socket.destroy();
  });

  it(`refuses a body that is too large before it is sent (${surface})`, async () => {
    const socket = await open();
    const more = { "content-length": 5_000_000, expect: "100-continue", ...credentials() };
    socket.write(head(first, more));
    const answer = await readUntil(socket, "\r\n\r\n");
    assert.match(answer, /^HTTP\/1\.1 413 [^]*\r\nconnection: close\r\n/i);
    socket.destroy();
  });

  it(`lets a client that only sends read why its body is too large (${surface})`, async () => {
    const socket = await open();
    socket.write(head(first, { "transfer-encoding": "chunked", ...credentials() }));
    const part = Buffer.alloc(64 * 1_024, 32);
    for (let sent = 0; sent < 4_000_000; sent += part.length) {
      socket.write(`${part.length.toString(16)}\r\n`);
      socket.write(part);
      if (!socket.write("\r\n")) await once(socket, "drain");
    }
    assert.match(await readUntil(socket, "\r\n\r\n"), /^HTTP\/1\.1 413 /);
    socket.destroy();
  });
}

it("asks for no body when the version is unknown", async () => {
  const socket = await open();
  const first = `PUT ${ovens}/one?api-version=1`;
  socket.write(head(first, { "content-length": 2, expect: "100-continue", ...credentials() }));
  assert.match(await readUntil(socket, "\r\n\r\n"), /^HTTP\/1\.1 400 /);
  socket.destroy();
});

it("meets no other expectation, and takes no body with one", async () => {
  const socket = await open();
  socket.write(head(`PUT ${oven("one")}`, { "content-length": 400_000_000, expect: "a-pony" }));
  const answer = await readUntil(socket, "\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 417 [^]*\r\nconnection: close\r\n/i);
  socket.destroy();
});

it("keeps the connection of a client whose small body was not read", async () => {
  const socket = await open();
  const body = "x".repeat(100_000);
  socket.write(head(`PUT ${oven("one")}`, { "content-length": body.length }));
  assert.match(await readUntil(socket, "\r\n\r\n"), /^HTTP\/1\.1 401 /);
  socket.write(body);
  socket.write(head("GET /livez", {}));
  assert.match(await readUntil(socket, "HTTP/1.1 200"), /HTTP\/1\.1 200 /);
  socket.destroy();
});

it("ends the stream of HTTP/2 whose body nobody reads, and not its connection", async () => {
  const session = connectHttp2(server.url, { ca: server.ca });
  const own = { ":path": oven("one"), ":method": "PUT", "content-type": "application/json" };
  for (const [headers, status] of [
    [{}, 401],
    [{ "content-length": "400000000" }, 401],
    [{ "content-length": "400000000", ...credentials() }, 413],
  ] as const) {
    const stream = session.request({ ...own, ...headers });
    stream.on("error", () => undefined);
    stream.resume();
    const [received] = (await once(stream, "response")) as [Record<string, unknown>];
    assert.equal(received[":status"], status);
    stream.write(Buffer.alloc(1_000_000, 32));
    await waitUntil("the stream to end", () => stream.closed, { limitMs: limits.lingerMs + 5_000 });
  }
  assert.equal(session.closed, false);
  session.destroy();
});
