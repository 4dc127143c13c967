import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { describe, it } from "node:test";
import { portHolder, programIn } from "./port-holder.ts";

describe("the process that listens on a port", () => {
  it("is named by its program, not by its main thread", { skip: !isLinux() }, async () => {
    const server = createServer();
    server.listen({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const program = basename(process.execPath);
    assert.deepEqual(portHolder(port), { pid: process.pid, program });
    server.close();
    await once(server, "close");
  });

  it("is named without arguments and in few characters", () => {
    assert.equal(programIn("/usr/bin/node\0server.js\0--token=abc\0"), "node");
    assert.equal(programIn("nginx: master process nginx -g daemon off;"), "nginx");
    assert.equal(programIn("x".repeat(5_000))?.length, 64);
    assert.equal(programIn(""), undefined);
  });
});

function isLinux(): boolean {
  return process.platform === "linux";
}
