// Folders that look like an installation with a console: one with the built files, and one with
// sources and a small program in the place of Vite.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Installation extends AsyncDisposable {
  readonly root: string;
  write(path: string, text: string): Promise<void>;
}

export async function emptyInstallation(): Promise<Installation> {
  const root = await mkdtemp(join(tmpdir(), "setpoint-console-"));
  return {
    root,
    write: async (path, text) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

export const script = `export const text = "${"console ".repeat(500)}";\n`;

/** As in a package. */
export async function builtInstallation(): Promise<Installation> {
  const made = await emptyInstallation();
  await made.write("package.json", '{ "name": "outside" }');
  await made.write("console/dist/index.html", "<!doctype html><title>Console</title>\n");
  await made.write("console/dist/assets/index-4f2a.js", script);
  await made.write("console/dist/mark.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>\n');
  return made;
}

/** Copies console/index.html after `gate` exists; fails when it contains "broken". */
const vite = `import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
const folder = process.argv[process.argv.indexOf("--outDir") + 1];
const build = () => {
  if (!existsSync("../gate")) return;
  const text = readFileSync("index.html", "utf8");
  if (text.includes("broken")) {
    console.error(process.cwd() + "/index.html:1: unexpected token");
    process.exit(1);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(folder + "/index.html", text);
  process.exit(0);
};
watch("..", build);
build();
`;

/** As in a clone. */
export async function clonedInstallation(html: string): Promise<Installation> {
  const made = await emptyInstallation();
  await made.write("console/package.json", '{ "name": "console" }');
  await made.write("console/index.html", html);
  const manifest = { name: "vite", version: "0.0.0", type: "module" };
  await made.write("console/node_modules/vite/package.json", JSON.stringify(manifest));
  await made.write("console/node_modules/vite/bin/vite.js", vite);
  return made;
}
