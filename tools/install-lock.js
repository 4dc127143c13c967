// One installer at a time per clone. The lock is a listening abstract socket: the kernel releases
// it when its owner ends, however it ends, so there is no stale lock to detect. Plain JavaScript,
// because it runs before the pinned Node.js is there.
import { createHash } from "node:crypto";
import { connect, createServer } from "node:net";

/**
 * Runs `work` while no other process of this clone runs its own.
 * @template T
 * @param {string} root
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withInstallLock(root, work) {
  const address = lockAddress(root);
  for (;;) {
    const server = await tryListen(address);
    if (server !== undefined) {
      try {
        return await work();
      } finally {
        server.close();
      }
    }
    await ownerGone(address);
  }
}

/** @param {string} root */
function lockAddress(root) {
  const digest = createHash("sha256").update(root).digest("hex");
  if (process.platform === "linux") return { path: `\0setpoint-install-${digest}` };
  return { host: "127.0.0.1", port: 20_000 + (Number.parseInt(digest.slice(0, 8), 16) % 20_000) };
}

/**
 * @param {import("node:net").ListenOptions} address
 * @returns {Promise<{ close: () => void } | undefined>}
 */
function tryListen(address) {
  return new Promise((resolve, reject) => {
    const waiters = new Set();
    const server = createServer((socket) => waiters.add(socket.on("error", () => {})));
    server.once("error", (error) => {
      if ("code" in error && error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => {
      resolve({
        close() {
          server.close();
          for (const socket of waiters) socket.destroy();
        },
      });
    });
  });
}

/**
 * @param {import("node:net").NetConnectOpts} address
 * @returns {Promise<void>}
 */
function ownerGone(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("error", () => undefined);
    socket.once("close", () => resolve());
    socket.resume();
  });
}
