/**
 * Which process listens on a port of this machine, where the operating system shows it: on Linux,
 * for processes that this user may look into.
 */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

export interface PortHolder {
  readonly pid: number;
  readonly program: string;
}

const listening = "0A";
const longestName = 64;

export function portHolder(port: number): PortHolder | undefined {
  const sockets = new Set(
    ["/proc/net/tcp", "/proc/net/tcp6"]
      .flatMap((file) => listenersIn(textOf(file), port))
      .map((inode) => `socket:[${inode}]`),
  );
  if (sockets.size === 0) return undefined;
  const pids = namesIn("/proc").filter((name) => /^\d+$/.test(name));
  const pid = pids.find((each) => isHolding(each, sockets));
  if (pid === undefined) return undefined;
  return { pid: Number(pid), program: programOf(pid) };
}

/** Without its arguments, which may have secrets. */
function programOf(pid: string): string {
  return programIn(textOf(`/proc/${pid}/cmdline`)) ?? textOf(`/proc/${pid}/comm`).trim();
}

/**
 * The program of a command line. `comm` is the name of the main thread, which for Node.js is
 * `MainThread`. Programs may replace their command line with a text of any length.
 */
export function programIn(commandLine: string): string | undefined {
  const [path = ""] = commandLine.split("\0", 1);
  const [first = ""] = path
    .slice(path.lastIndexOf("/") + 1)
    .trim()
    .split(/[\s:]/, 1);
  return first === "" ? undefined : first.slice(0, longestName);
}

/** The inodes of sockets that listen on a port, of any address. */
export function listenersIn(table: string, port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    return local.endsWith(suffix) && state === listening ? [inode] : [];
  });
}

function isHolding(pid: string, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  return namesIn(folder).some((name) => sockets.has(linkOf(`${folder}/${name}`)));
}

// A process may end while it is looked at, and those of other users are closed: both have nothing.

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}
