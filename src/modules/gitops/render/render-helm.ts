// The objects of a chart, by `helm template`. A chart reads its own files only, and no cluster.

import { posix } from "node:path";
import { isTrueAt, objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Sized } from "./reading.ts";
import { refused } from "./refused.ts";
import type { RenderInput, RenderResult } from "./renderer.ts";
import { runTool } from "./run-tool.ts";
import type { ToolPorts } from "./run-tool.ts";

export async function renderHelm(
  ports: ToolPorts,
  input: RenderInput,
  signal: AbortSignal,
): Promise<Sized<RenderResult>> {
  const { tree, options, grants } = input;
  const { helm, releaseName, namespace } = options;
  if (!grants.helm) {
    const why = "a GitOpsPolicy of the namespace refuses charts: see spec.render.helm";
    return { result: refused("PolicyDenied", why), bytes: 0 };
  }
  const { path } = tree.tree;
  const files = textsAt(helm, "valueFiles").map((file) => posix.join("/", path, file));
  const values = objectAt(helm, "values");
  const hasValues = Object.keys(values).length > 0;
  const outside = textsAt(helm, "valueFiles").find((file) => isOutside(path, file));
  if (outside !== undefined) {
    const why = `spec.source.helm.valueFiles: ${outside} is outside of the repository`;
    return { result: refused("PathEscapes", why), bytes: 0 };
  }
  const args = [
    "template",
    releaseName,
    posix.join("/work", path),
    "--skip-tests",
    ...(namespace === "" ? [] : ["--namespace", namespace]),
    ...(isTrueAt(helm, "skipCrds") ? [] : ["--include-crds"]),
    ...files.flatMap((file) => ["--values", `/work${file}`]),
    ...(hasValues ? ["--values", "/given/values.yaml"] : []),
    ...objectsAt(helm, "parameters").flatMap((parameter) => [
      isTrueAt(parameter, "forceString") ? "--set-string" : "--set",
      `${textAt(parameter, "name")}=${escaped(textAt(parameter, "value"))}`,
    ]),
    ...kubeVersionArgs(textAt(helm, "kubeVersion")),
    ...textsAt(helm, "apiVersions").flatMap((version) => ["--api-versions", version]),
  ];
  const folder = path === "" ? "" : `${path}/`;
  const run = {
    tool: "Helm",
    program: ports.helm,
    args,
    ...(hasValues ? { given: { name: "values.yaml", text: JSON.stringify(values) } } : {}),
    needsRoot: files.some((file) => !file.startsWith(`/${folder}`)),
    place: (template: string | undefined) => `${folder}${template ?? "Chart.yaml"}`,
    refusal: () => undefined,
  } as const;
  return await runTool(ports, input, run, signal);
}

function kubeVersionArgs(version: string): readonly string[] {
  return version === "" ? [] : ["--kube-version", version];
}

function isOutside(path: string, file: string): boolean {
  if (file.startsWith("/")) return true;
  return posix.normalize(posix.join(path, file)).split("/")[0] === "..";
}

/** A comma separates parameters, and a backslash escapes. */
function escaped(value: string): string {
  return value.replaceAll(/[\\,]/g, String.raw`\$&`);
}
