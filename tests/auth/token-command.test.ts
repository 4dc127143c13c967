// `setpoint token` against a real OpenID provider, and its tokens at a real server.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { startProgram } from "../peers/child.ts";
import type { Program } from "../peers/child.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";
import { startSetpoint } from "../peers/setpoint.ts";

const secret = "robot-secret-of-tests";
const clients = [{ id: "robot", secret, claims: { org_id: "7" } }, { id: "cli" }];
const people = { ann: { username: "ann" } };

let folder = "";
let secretFile = "";
let provider: OidcPeer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-token-"));
  secretFile = join(folder, "secret");
  await writeFile(secretFile, `${secret}\n`);
  provider = await startOidcProvider({ clients, people });
});

after(async () => {
  await provider[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `home` is the configuration folder of the user. */
function start(home: string, ...args: string[]): Promise<Program> {
  const env = { XDG_CONFIG_HOME: join(folder, home) };
  return startProgram("src/cli/main.ts", { args: ["token", ...args], env });
}

async function ended(program: Program): Promise<Ran> {
  const { code } = await program.waitForExit();
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

async function run(home: string, ...args: string[]): Promise<Ran> {
  return await ended(await start(home, ...args));
}

/** Runs the command and logs in when it asks for that. */
async function logIn(home: string, at: OidcPeer, ...more: string[]): Promise<Ran> {
  const program = await start(home, "--issuer", at.issuer, "--client-id", "cli", ...more);
  const [, code = ""] = await program.waitForLine(/enter the code (\S+)$/);
  await at.approve(code, "ann");
  return await ended(program);
}

function loginFile(home: string): Promise<string> {
  const tokens = join(folder, home, "setpoint", "tokens");
  return readdir(tokens).then((names) =>
    join(tokens, names.find((name) => name.endsWith(".json")) ?? ""),
  );
}

describe("client credentials", () => {
  const asRobot = (...more: string[]): Promise<Ran> => {
    const client = ["--client-id", "robot", "--client-secret-file", secretFile];
    return run("robot", "--issuer", provider.issuer, ...client, ...more);
  };

  test("a program gets a token by its secret, which the server accepts", async () => {
    const config = join(folder, "setpoint.yaml");
    const { issuer } = provider;
    const oidc = [{ issuer, http: true, audiences: ["setpoint"], extraClaims: { org: "org_id" } }];
    await writeFile(config, JSON.stringify({ oidc }));
    await using server = await startSetpoint({ args: ["--config", config] });
    const { code, stdout, stderr } = await asRobot();
    deepEqual([code, stderr], [0, ""]);
    const answer = await server.ask("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      headers: { authorization: `Bearer ${stdout.trimEnd()}` },
    });
    equal(answer.status, 201, answer.body.toString());
    const { status } = JSON.parse(answer.body.toString()) as {
      readonly status: { readonly userInfo: { readonly username: string; readonly extra: object } };
    };
    equal(status.userInfo.username, `${issuer}#robot`);
    deepEqual(status.userInfo.extra, {
      org: ["7"],
      "authentication.setpoint.dev/issuer": [issuer],
    });
  });

  test("a program can print a header and ask for a resource, and saves nothing", async () => {
    const { stdout } = await asRobot("--header", "--resource", "urn:other", "--scope", "api");
    const [, token = ""] = /^Authorization: Bearer (\S+)\n$/.exec(stdout) ?? [];
    const { aud, scope } = decodeJwt(token);
    deepEqual([aud, scope], ["urn:other", "api"]);
    equal(await stat(join(folder, "robot")).catch(() => undefined), undefined);
  });

  test("an error names what to correct, and does not show the secret", async () => {
    const wrongFile = join(folder, "wrong");
    const emptyFile = join(folder, "empty");
    await writeFile(wrongFile, "wrong-secret-of-tests");
    await writeFile(emptyFile, "\n");
    const { issuer } = provider;
    const client = (id: string, file: string) => ["--client-id", id, "--client-secret-file", file];
    for (const [args, message] of [
      [
        ["--issuer", issuer, ...client("robot", wrongFile)],
        /the issuer refused the request: invalid_client.*\n {2}try: check --client-id and the co/,
      ],
      [["--issuer", issuer, ...client("robot", emptyFile)], /--client-secret-file: .* is empty/],
      [["--issuer", issuer, ...client("robot", "none")], /--client-secret-file: none cannot be/],
      [["--issuer", issuer], /required option '--client-id <id>' not specified/],
      [["--client-id", "robot"], /required option '--issuer <url>' not specified/],
      [
        ["--issuer", "http://login.example", ...client("robot", secretFile)],
        /not a URL with https/,
      ],
      [["--issuer", `${issuer}/`, ...client("robot", secretFile)], /describes another issuer\b/],
      [["--issuer", `${issuer}/x`, ...client("robot", secretFile)], /is not an OpenID issuer/],
      [
        ["--issuer", "http://127.0.0.1:9", ...client("robot", secretFile)],
        /no usable response from http:\/\/127.0.0.1:9 \[server.unreachable\]\n {2}because: /,
      ],
      [
        ["--issuer", issuer, ...client("robot", secretFile), "--resource", "not-a-uri"],
        /the issuer refused the request: invalid_target.*\n {2}try: correct --resource/,
      ],
    ] as const) {
      const { code, stdout, stderr } = await run("robot", ...args);
      deepEqual([code, stdout], [1, ""], stderr);
      match(stderr, message);
      ok(!stderr.includes("secret-of-tests"), stderr);
    }
  });
});

describe("device grant", () => {
  test("a person logs in once, and later commands print the saved token", async () => {
    const { code, stdout, stderr } = await logIn("once", provider);
    equal(code, 0, stderr);
    equal(decodeJwt(stdout.trimEnd())["username"], "ann");
    match(
      stderr,
      /^Open http:\S+\/device and enter the code \S+\nor open http:\S+user_code=\S+\n$/,
    );
    const requests = provider.requests.length;
    const again = await run("once", "--issuer", provider.issuer, "--client-id", "cli");
    deepEqual(again, { code: 0, stdout, stderr: "" });
    equal(provider.requests.length, requests);
    const file = await loginFile("once");
    equal((await stat(file)).mode & 0o777, 0o600);
    equal((await stat(join(file, ".."))).mode & 0o777, 0o700);
  });

  test("a good refresh token saves the login, also for commands in parallel", async () => {
    // A token that ends within a minute is not used again.
    await using short = await startOidcProvider({ clients, people, tokenTtlSeconds: 30 });
    const first = await logIn("short", short);
    const args = ["--issuer", short.issuer, "--client-id", "cli"];
    const ran = await Promise.all([1, 2, 3].map(() => run("short", ...args)));
    deepEqual(
      ran.map(({ code, stderr }) => [code, stderr.replace(/^another setpoint token.*\n/, "")]),
      [1, 2, 3].map(() => [0, ""]),
    );
    notEqual(ran[0]?.stdout, first.stdout);
    equal(decodeJwt(ran[0]?.stdout.trimEnd() ?? "")["username"], "ann");
    equal(short.requests.filter((request) => request === "POST /device/auth").length, 1);
  });

  test("a person logs in again when the issuer refuses the saved login", async () => {
    await using short = await startOidcProvider({ clients, people, tokenTtlSeconds: 30 });
    await logIn("again", short);
    const file = await loginFile("again");
    const saved = JSON.parse(await readFile(file, "utf8")) as object;
    await writeFile(file, JSON.stringify({ ...saved, refreshToken: "revoked" }));
    equal((await logIn("again", short)).code, 0);
    await writeFile(file, "not JSON");
    equal((await logIn("again", short)).code, 0);
  });

  test("a saved login that other users can read is not used", async () => {
    await logIn("open", provider);
    const file = await loginFile("open");
    await chmod(file, 0o644);
    const args = ["--issuer", provider.issuer, "--client-id", "cli"];
    const { code, stdout, stderr } = await run("open", ...args);
    deepEqual([code, stdout], [1, ""]);
    match(stderr, /other users can read the login in \S+ \[config.invalid\]\n {2}try: delete the/);
  });

  test("--no-cache saves nothing, and a person may use a client with a secret", async () => {
    const client = ["--client-id", "robot", "--client-secret-file", secretFile];
    const asPerson = ["--issuer", provider.issuer, ...client, "--device", "--no-cache"];
    const program = await start("none", ...asPerson);
    const [, code = ""] = await program.waitForLine(/enter the code (\S+)$/);
    await provider.approve(code, "ann");
    const { stdout } = await ended(program);
    equal(decodeJwt(stdout.trimEnd()).sub, "ann");
    equal(await stat(join(folder, "none")).catch(() => undefined), undefined);
  });

  test("a login that the person refuses gives no token", async () => {
    const program = await start("none", "--issuer", provider.issuer, "--client-id", "cli");
    const [, code = ""] = await program.waitForLine(/enter the code (\S+)$/);
    await provider.refuse(code);
    const ran = await ended(program);
    deepEqual([ran.code, ran.stdout], [1, ""]);
    match(ran.stderr, /access_denied.*\n {2}try: the login was refused; run the command again/);
  });
});
