// A git host on loopback: smart HTTP over TLS with a private authority, Basic authentication for
// each repository, and faults. `git http-backend` answers, as behind any web server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";

export interface GitRemote extends AsyncDisposable {
  readonly port: number;
  /** PEM. */
  readonly caBundle: string;
  /** The bare repositories. */
  readonly folder: string;
  /** What was asked, oldest first. */
  readonly requests: readonly RemoteRequest[];
  /** What all further requests get instead of an answer. */
  fault: RemoteFault | undefined;
  /** https://127.0.0.1:PORT/NAME.git */
  url(name: string): string;
  create(name: string, options?: RepositoryOptions): Promise<void>;
  remove(name: string): Promise<void>;
  /** Who may read it from now on; undefined: all. */
  protect(name: string, login: Login | undefined): void;
  /** Adds a commit to a branch, and returns its id. */
  commit(name: string, change: Change): Promise<string>;
  tag(name: string, tag: NewTag): Promise<void>;
  /** Runs git in the bare repository; returns the output without its last line break. */
  git(name: string, args: readonly string[], stdin?: string | Buffer): Promise<string>;
}

export interface RemoteRequest {
  readonly method: string;
  readonly path: string;
  /** Undefined: none was sent. */
  readonly username: string | undefined;
  readonly isAllowed: boolean;
}

export type RemoteFault =
  | { readonly kind: "hang" }
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string }
  | { readonly kind: "redirect"; readonly to: string };

export interface Login {
  readonly username: string;
  readonly password: string;
}

export interface RepositoryOptions {
  readonly login?: Login;
  /** Whether single commits may be fetched by their id. Default: true. */
  readonly sendsAnyCommit?: boolean;
  /** Whether partial clones are served. Default: true. */
  readonly sendsPartially?: boolean;
}

export interface Change {
  /** Default: main. */
  readonly branch?: string;
  /** By path. Null removes the file, or all files of a folder; "" as a path means all files. */
  readonly files: Readonly<Record<string, string | Buffer | Entry | null>>;
  readonly message?: string;
}

/** A symbolic link, a submodule, or an executable file. */
export type Entry =
  | { readonly link: string }
  | { readonly submodule: string }
  | { readonly executable: string };

export interface NewTag {
  readonly tag: string;
  readonly commit: string;
  /** With a tag object. */
  readonly isAnnotated?: boolean;
}

export async function startGitRemote(): Promise<GitRemote> {
  const home = await mkdtemp(join(tmpdir(), "git-remote-"));
  const folder = join(home, "repositories");
  await mkdir(folder);
  const authority = openAuthority({
    folder: join(home, "tls"),
    clock: systemClock,
    random: systemRandom,
  });
  const { keyPem: key, certificatePem: cert } = authority.serverCertificate([
    "localhost",
    "127.0.0.1",
  ]);
  const logins = new Map<string, Login>();
  const requests: RemoteRequest[] = [];
  const host: Host = { folder, logins, requests, fault: undefined };
  const server = createServer({ key, cert }, (request, response) => {
    answer(request, response, host);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const git = (name: string, args: readonly string[], stdin?: string | Buffer): Promise<string> =>
    runGit(join(folder, `${name}.git`), args, stdin);
  /** Each commit is one second younger than the one before, on every machine. */
  let seconds = 1_700_000_000;
  return {
    port,
    folder,
    requests,
    caBundle: authority.certificatePem,
    get fault() {
      return host.fault;
    },
    set fault(fault) {
      host.fault = fault;
    },
    url: (name) => `https://127.0.0.1:${port}/${name}.git`,
    create: async (name, options = {}) => {
      const { login, sendsAnyCommit = true, sendsPartially = true } = options;
      if (login !== undefined) logins.set(name, login);
      await runGit(folder, ["init", "--quiet", "--bare", "--initial-branch=main", `${name}.git`]);
      await git(name, ["config", "uploadpack.allowAnySHA1InWant", String(sendsAnyCommit)]);
      await git(name, ["config", "uploadpack.allowFilter", String(sendsPartially)]);
    },
    remove: async (name) => await rm(join(folder, `${name}.git`), { recursive: true }),
    protect: (name, login) => {
      if (login === undefined) logins.delete(name);
      else logins.set(name, login);
    },
    commit: async (name, change) => {
      const { branch = "main" } = change;
      const parent = await git(name, ["for-each-ref", "--format=%(objectname)", ref(branch)]);
      seconds += 1;
      await git(name, ["fast-import", "--quiet", "--force"], stream(change, parent, seconds));
      return await git(name, ["rev-parse", ref(branch)]);
    },
    tag: async (name, { tag, commit, isAnnotated = false }) => {
      await git(name, isAnnotated ? ["tag", "-a", "-m", tag, tag, commit] : ["tag", tag, commit]);
    },
    git,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(home, { recursive: true, force: true });
    },
  };
}

interface Host {
  readonly folder: string;
  readonly logins: ReadonlyMap<string, Login>;
  readonly requests: RemoteRequest[];
  fault: RemoteFault | undefined;
}

function ref(branch: string): string {
  return `refs/heads/${branch}`;
}

/** The input of git fast-import. */
function stream(change: Change, parent: string, seconds: number): Buffer {
  const { branch = "main", files, message = "A change" } = change;
  const parts: Buffer[] = [];
  const line = (text: string): void => void parts.push(Buffer.from(`${text}\n`));
  const data = (content: string | Buffer): void => {
    const bytes = Buffer.from(content);
    line(`data ${bytes.length}`);
    parts.push(bytes);
    line("");
  };
  line(`commit ${ref(branch)}`);
  line(`committer Tester <tester@git.example> ${seconds} +0000`);
  data(message);
  if (parent !== "") line(`from ${parent}`);
  for (const [path, file] of Object.entries(files)) {
    const quoted = JSON.stringify(path);
    if (file === null) line(path === "" ? "deleteall" : `D ${quoted}`);
    else if (typeof file === "string" || Buffer.isBuffer(file)) {
      line(`M 100644 inline ${quoted}`);
      data(file);
    } else if ("submodule" in file) line(`M 160000 ${file.submodule} ${quoted}`);
    else {
      line(`M ${"link" in file ? "120000" : "100755"} inline ${quoted}`);
      data("link" in file ? file.link : file.executable);
    }
  }
  return Buffer.concat(parts);
}

/** Neither the machine's nor the user's configuration is read. */
const gitEnv = {
  PATH: process.env["PATH"],
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Tester",
  GIT_AUTHOR_EMAIL: "tester@git.example",
  GIT_COMMITTER_NAME: "Tester",
  GIT_COMMITTER_EMAIL: "tester@git.example",
};

async function runGit(
  folder: string,
  args: readonly string[],
  stdin: string | Buffer = "",
): Promise<string> {
  const child = spawn("git", args, { cwd: folder, env: gitEnv, stdio: "pipe" });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => errors.push(bytes));
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return Buffer.concat(out).toString().replace(/\n$/, "");
  throw new Error(`git ${args[0]} ended with ${code}: ${Buffer.concat(errors).toString()}`);
}

function answer(request: IncomingMessage, response: ServerResponse, host: Host): void {
  const { method = "GET", url = "/", headers } = request;
  const [path = "", query = ""] = url.split("?");
  const [, name = ""] = /^\/(.+?)\.git\//.exec(path) ?? [];
  const sent = loginOf(headers.authorization);
  const wanted = host.logins.get(name);
  const isAllowed =
    wanted === undefined ||
    (sent?.username === wanted.username && sent.password === wanted.password);
  host.requests.push({ method, path, username: sent?.username, isAllowed });
  // A request whose client gives up is no fault of the test.
  response.on("error", () => undefined);
  if (host.fault !== undefined) return fail(host.fault, path, query, response);
  if (!isAllowed) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' });
    response.end();
    return;
  }
  serve(request, response, host.folder, path, query);
}

function fail(fault: RemoteFault, path: string, query: string, response: ServerResponse): void {
  switch (fault.kind) {
    case "hang":
      return;
    case "status":
      response.writeHead(
        fault.status,
        fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter },
      );
      response.end();
      return;
    case "redirect":
      response.writeHead(302, { location: `${fault.to}${path}?${query}` });
      response.end();
      return;
    default:
      fault satisfies never;
  }
}

function loginOf(header: string | undefined): Login | undefined {
  const [, encoded] = /^Basic (.+)$/.exec(header ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function serve(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  path: string,
  query: string,
): void {
  const { headers } = request;
  const child = spawn("git", ["http-backend"], {
    env: {
      ...gitEnv,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      CONTENT_TYPE: headers["content-type"],
      CONTENT_LENGTH: headers["content-length"],
      HTTP_CONTENT_ENCODING: headers["content-encoding"],
      GIT_PROTOCOL: first(headers["git-protocol"]),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  response.on("close", () => child.kill());
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on("data", (bytes: Buffer) => {
    if (head === undefined) {
      response.write(bytes);
      return;
    }
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    writeHead(response, head.subarray(0, end).toString());
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  child.stdout.on("end", () => response.end());
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}

function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split("\r\n")) {
    const [, name = "", value = ""] = /^([^:]+): *(.*)$/.exec(line) ?? [];
    if (name.toLowerCase() === "status") status = Number(value.split(" ")[0]);
    else response.appendHeader(name, value);
  }
  response.statusCode = status;
}
