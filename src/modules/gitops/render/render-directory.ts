// The objects of the manifests in a folder.

import { manifestFiles } from "./choose-files.ts";
import { partsOf, Reading } from "./reading.ts";
import type { RenderPorts, Sized } from "./reading.ts";
import type { RenderInput, RenderResult } from "./renderer.ts";

export async function renderDirectory(
  ports: RenderPorts,
  input: RenderInput,
  signal: AbortSignal,
): Promise<Sized<RenderResult>> {
  const { tree } = input;
  const files = manifestFiles(tree.tree, input.options);
  if ("kind" in files) return { result: files, bytes: 0 };
  const reading = new Reading(ports, input.tenant, "Directory");
  for (const part of partsOf(files)) {
    signal.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- the parts of one tenant take turns
    const refusal = await reading.part(part, await tree.read(part, signal));
    if (refusal !== undefined) return { result: refusal, bytes: 0 };
  }
  return reading.result();
}
