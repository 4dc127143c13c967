// The objects of a kustomization, built by kubectl. Fields of the deployment are an overlay.

import { posix } from "node:path";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { kustomizationFiles } from "./choose-files.ts";
import type { Sized } from "./reading.ts";
import { refused } from "./refused.ts";
import type { RenderGrants, RenderInput, RenderRefused, RenderResult } from "./renderer.ts";
import { runTool } from "./run-tool.ts";
import type { ToolPorts } from "./run-tool.ts";
import { outsideReason, toolError } from "./tool-output.ts";

export async function renderKustomize(
  ports: ToolPorts,
  input: RenderInput,
  signal: AbortSignal,
): Promise<Sized<RenderResult>> {
  const { tree, options, grants } = input;
  const path = posix.normalize(`/work/${tree.tree.path}`).replace(/\/$/, "");
  const images = imagesOf(options.kustomize);
  if ("kind" in images) return { result: images, bytes: 0 };
  const overlay = overlayOf(options.kustomize, images, path);
  const [first] = kustomizationFiles(tree.tree);
  const file = first?.path ?? tree.tree.path;
  const run = {
    tool: "Kustomize",
    program: ports.kubectl,
    args: ["kustomize", overlay === undefined ? path : "/given"],
    ...(overlay === undefined
      ? {}
      : { given: { name: "kustomization.yaml", text: JSON.stringify(overlay) } }),
    hasNetwork: mayRead(grants),
    needsRoot: await needsRoot(input, signal),
    place: () => file,
    refusal: (stderr: string) => refusalOf(stderr, grants),
  } as const;
  return await runTool(ports, input, run, signal);
}

/** A kustomization without .. refers to files below it only. */
export async function needsRoot({ tree }: RenderInput, signal: AbortSignal): Promise<boolean> {
  if (tree.tree.treeId === tree.tree.rootTreeId) return false;
  const texts = await tree.read(kustomizationFiles(tree.tree), signal);
  return texts.some((text) => Buffer.from(text).includes(".."));
}

function mayRead({ remoteBases, isSigned }: RenderGrants): boolean {
  return remoteBases && !isSigned;
}

function refusalOf(stderr: string, grants: RenderGrants): RenderRefused | undefined {
  const reason = outsideReason(stderr);
  if (reason === undefined) return undefined;
  const error = toolError(stderr);
  if (reason === "PathEscapes") {
    return refused(
      reason,
      `the kustomization refers to a path outside of its repository: ${error}`,
    );
  }
  if (mayRead(grants)) return undefined;
  const fix = "the kustomization refers to a remote base: copy it into the repository";
  const more = grants.isSigned
    ? "because spec.source.verify demands signed commits, and no signature covers a remote base"
    : "or an administrator can allow it with spec.render.remoteBases of a GitOpsPolicy";
  return refused(reason, `${fix}, ${more}: ${error}`);
}

function imagesOf(given: JsonObject): readonly JsonObject[] | RenderRefused {
  const images: JsonObject[] = [];
  for (const text of textsAt(given, "images")) {
    const image = imageOf(text);
    if (image === undefined) {
      const example = "write for example nginx:1.27 or nginx=registry.example/nginx:1.27";
      return refused("ToolFailed", `spec.source.kustomize.images: ${text}: ${example}`);
    }
    images.push(image);
  }
  return images;
}

/** Undefined: the deployment changes nothing. */
function overlayOf(
  given: JsonObject,
  images: readonly JsonObject[],
  path: string,
): JsonObject | undefined {
  const labels = objectAt(given, "commonLabels");
  const annotations = objectAt(given, "commonAnnotations");
  const [namePrefix, nameSuffix] = [textAt(given, "namePrefix"), textAt(given, "nameSuffix")];
  const fields: JsonObject = {
    ...(namePrefix === "" ? {} : { namePrefix }),
    ...(nameSuffix === "" ? {} : { nameSuffix }),
    ...(images.length === 0 ? {} : { images }),
    ...(Object.keys(labels).length === 0 ? {} : { commonLabels: labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { commonAnnotations: annotations }),
  };
  if (Object.keys(fields).length === 0) return undefined;
  const resources = [posix.relative("/given", path)];
  return {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources,
    ...fields,
  };
}

/** NAME=NEW:TAG, NAME=NEW@DIGEST, NAME=NEW, NAME:TAG or NAME@DIGEST. */
export function imageOf(text: string): JsonObject | undefined {
  const equals = text.indexOf("=");
  const image = /^(?<name>[^@\s]+?)(?::(?<tag>[\w][\w.-]{0,127}))?(?:@(?<digest>\w+:[0-9a-f]+))?$/;
  const found = image.exec(equals < 0 ? text : text.slice(equals + 1))?.groups;
  if (found === undefined) return undefined;
  const { name = "", tag, digest } = found;
  if (equals < 0 && tag === undefined && digest === undefined) return undefined;
  if (equals === 0) return undefined;
  return {
    name: equals < 0 ? name : text.slice(0, equals),
    ...(equals < 0 ? {} : { newName: name }),
    // A digest wins over a tag, as in an image reference.
    ...(digest === undefined ? {} : { digest }),
    ...(tag === undefined || digest !== undefined ? {} : { newTag: tag }),
  };
}
