// The repositories of a git host over SSH: sshd on loopback, one program for each connection, with
// a host key and authorized keys of its own. Nothing of the machine is used or changed.
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findOpenSsh } from "../../tools/peers.ts";

export interface SshRemote extends AsyncDisposable {
  /** As in known_hosts. */
  readonly knownHosts: string;
  /** ssh://USER@127.0.0.1:PORT/FOLDER/NAME.git */
  url(name: string): string;
  /** A new key; from now on only this one is accepted. Returns the private key. */
  authorize(): Promise<string>;
}

/** Of the bare repositories in a folder. */
export async function startSshRemote(repositories: string): Promise<SshRemote> {
  const sshd = findOpenSsh();
  if (sshd === undefined) throw new Error("no OpenSSH here: run `npm run peers`");
  const folder = await mkdtemp(join(tmpdir(), "ssh-remote-"));
  // sshd insists on it, and only the superuser can create it.
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
  const hostKey = await newKey(folder, "host");
  const config = join(folder, "sshd_config");
  const authorized = join(folder, "authorized_keys");
  const lines = [
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${authorized}`,
    "AuthenticationMethods publickey",
    "StrictModes no",
    "UsePAM no",
    "PermitRootLogin prohibit-password",
  ];
  await writeFile(config, `${lines.join("\n")}\n`);
  const children = new Set<ChildProcess>();
  let keys = 0;
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const stdio = [socket, socket, "ignore"] as const;
    const child = spawn(sshd, ["-i", "-f", config], { stdio: [...stdio] });
    children.add(child);
    child.on("close", () => children.delete(child));
    socket.on("error", () => undefined);
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [type = "", key = ""] = (await readFile(`${hostKey}.pub`, "utf8")).split(" ");
  return {
    knownHosts: `[127.0.0.1]:${port} ${type} ${key}\n`,
    url: (name) => {
      const { username } = userInfo();
      return `ssh://${username}@127.0.0.1:${port}${join(repositories, `${name}.git`)}`;
    },
    authorize: async () => {
      keys += 1;
      const file = await newKey(folder, `user-${keys}`);
      await writeFile(authorized, await readFile(`${file}.pub`));
      return await readFile(file, "utf8");
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill("SIGKILL");
      server.close();
      await once(server, "close");
      await rm(folder, { recursive: true });
    },
  };
}

async function newKey(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  const args = ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file];
  await promisify(execFile)("ssh-keygen", args);
  return file;
}
