/** What the demo consists of: examples/demo/demo.yaml, read and checked. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { parseYaml } from "../../kernel/yaml.ts";

export interface DemoService {
  readonly name: string;
  readonly program: string;
  /** The port that is preferred. */
  readonly port: number;
  /** The port that files have in place of it. */
  readonly replaces: number;
}

export interface DemoRepository {
  readonly name: string;
  readonly files: string;
  readonly branches: readonly { readonly name: string; readonly message: string }[];
  /** The key of the configuration that opens a folder of repositories. */
  readonly section: string;
  readonly key: string;
}

interface NeedsRepository {
  readonly needsRepository: boolean;
}

export interface DemoPart extends NeedsRepository {
  readonly name: string;
  readonly files: readonly string[];
}

export interface DemoTry extends NeedsRepository {
  readonly title: string;
  readonly command: string;
}

export interface DemoPlan {
  readonly namespace: string;
  readonly services: readonly DemoService[];
  readonly repository: DemoRepository;
  readonly parts: readonly DemoPart[];
  readonly tries: readonly DemoTry[];
}

/** In a clone, and in a package. */
export const examplesFolder = fileURLToPath(new URL("../../../examples/", import.meta.url));

export function readDemoPlan(): DemoPlan {
  const { value } = parseYaml(readFileSync(join(examplesFolder, "demo", "demo.yaml"), "utf8"));
  const plan = isJsonObject(value) ? value : {};
  return {
    namespace: textAt(plan, "namespace"),
    services: objectsAt(plan, "services").map((each) => ({
      name: textAt(each, "name"),
      program: textAt(each, "program"),
      port: numberAt(each, "port") ?? 0,
      replaces: numberAt(each, "replaces") ?? 0,
    })),
    repository: repositoryOf(objectAt(plan, "repository")),
    parts: objectsAt(plan, "parts").map((each) => ({
      name: textAt(each, "name"),
      files: textsAt(each, "files"),
      needsRepository: each["needsRepository"] === true,
    })),
    tries: objectsAt(plan, "try").map((each) => ({
      title: textAt(each, "title"),
      command: textAt(each, "command"),
      needsRepository: each["needsRepository"] === true,
    })),
  };
}

function repositoryOf(repository: JsonObject): DemoRepository {
  return {
    name: textAt(repository, "name"),
    files: textAt(repository, "files"),
    branches: objectsAt(repository, "branches").map((each) => ({
      name: textAt(each, "name"),
      message: textAt(each, "message"),
    })),
    section: textAt(repository, "section"),
    key: textAt(repository, "key"),
  };
}
