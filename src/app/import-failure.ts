/**
 * Explains why the file of a user module could not be imported. Node.js reports a missing package
 * with a stack of its own files, and a syntax error without its place in the message. The author
 * gets the file, the line, and the command that installs a missing package.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SetpointError } from "../kernel/errors.ts";
import { invalidModule } from "./broken-module.ts";

export type ReadText = (file: string) => string;

export function importFailure(file: string, cause: unknown, read: ReadText): SetpointError {
  const missing = missingImport(cause);
  if (missing !== undefined) return missingFailure(file, missing, read);
  const place = placeIn(cause);
  const where = place === undefined ? "" : ` (${placeText(place, file)})`;
  const message = `the module ${file} cannot be loaded${where}`;
  return invalidModule(message, file, { cause, line: place?.line });
}

interface Missing {
  /** The name of a package, or an absolute path. */
  readonly name: string;
  readonly importer: string;
}

/** Of both loaders of Node.js: `import` names the importer, `require` a stack of files. */
function missingImport(cause: unknown): Missing | undefined {
  if (!(cause instanceof Error) || !("code" in cause)) return undefined;
  const { code, message } = cause;
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined;
  const [, name] = /^Cannot find (?:package|module) '([^']+)'/.exec(message) ?? [];
  const [, byImport, byRequire] =
    /(?: imported from (.+)|Require stack:\n- (.+))/.exec(message) ?? [];
  const importer = byImport ?? byRequire;
  return name === undefined || importer === undefined ? undefined : { name, importer };
}

const ownNames = 'the names are "setpoint" and "setpoint/testing"';

function missingFailure(file: string, { name, importer }: Missing, read: ReadText): SetpointError {
  const isFile = name.startsWith("/") || name.startsWith(".");
  const line = lineOfImport(read(importer), isFile ? baseName(name) : name);
  const at = line === undefined ? "" : ` (line ${line})`;
  const whose =
    importer === file ? `the module ${file}${at}` : `the module ${file}: ${importer}${at}`;
  if (isFile) {
    const suggestion = `correct the path of the import in ${importer}`;
    const message = `${whose} imports ${name}, which does not exist`;
    return invalidModule(message, file, { line, suggestion });
  }
  const packageName = packageOf(name);
  const isOwn = packageName === "setpoint";
  const suggestion = isOwn
    ? ownNames
    : `cd ${packageFolder(importer)} && npm install ${packageName}`;
  const message = `${whose} imports the package ${packageName}, which is not installed`;
  return invalidModule(message, file, { line, suggestion });
}

function packageOf(name: string): string {
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/");
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The first line that has the text in quotes, alone or as the first or last part of a path. */
function lineOfImport(text: string, name: string): number | undefined {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`["'](?:[^"']*/)?${escaped}(?:/[^"']*)?["']`);
  const index = text.split("\n").findIndex((line) => pattern.test(line));
  return index < 0 ? undefined : index + 1;
}

/** The nearest folder that has a package.json; else the folder of the file. */
function packageFolder(file: string): string {
  const own = dirname(file);
  for (let folder = own; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return own;
}

interface Place {
  readonly path: string;
  readonly line: number;
}

/** The first place of the stack in a file of an author: not in Node.js, and not in this program. */
function placeIn(cause: unknown): Place | undefined {
  const stack = cause instanceof Error ? String(cause.stack) : "";
  for (const [, path = "", line] of stack.matchAll(
    /(\/[^\n()]*\.[cm]?[jt]sx?)(?:\?[\w=-]*)?:(\d+)/g,
  )) {
    const clean = decodedPath(path.replace(/^.*file:\/\//, "").replace(/^\/+/, "/"));
    if (!clean.startsWith(ownFolder)) return { path: clean, line: Number(line) };
  }
  return undefined;
}

const ownFolder = join(import.meta.dirname, "..");

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function placeText({ path, line }: Place, file: string): string {
  return path === file ? `line ${line}` : `${path}, line ${line}`;
}
