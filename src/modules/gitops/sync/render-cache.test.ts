import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "../../../engine/reconciler.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { RenderGrants } from "../render/renderer.ts";
import type { SourceRevision } from "../source/source-trees.ts";
import { RenderCache } from "./render-cache.ts";
import { renderOptions } from "./spec.ts";

test("the renderer knows whether commits need a signature", async () => {
  const seen: RenderGrants[] = [];
  const input = {
    policies: { policyOf: () => ({ remoteBases: true, helm: true }) },
    trees: { open: async () => ({ kind: "tree", [Symbol.asyncDispose]: async () => undefined }) },
    renderer: {
      render: async ({ grants }: { readonly grants: RenderGrants }) => {
        seen.push(grants);
        return { kind: "rendered", tool: "Kustomize", objects: [], digest: "" };
      },
    },
  } as unknown as Parameters<RenderCache["render"]>[0];
  const metadata = { name: "shop", namespace: "jane", uid: "u" };
  const deployment = { metadata, spec: { source: { path: "deploy" } } } as unknown as Resource;
  const revision: SourceRevision = {
    kind: "revision",
    name: "source",
    namespace: "jane",
    commit: "a".repeat(40),
    ref: "",
  };
  const signers = { keys: [], secretName: "signers", digest: "d" };
  const cache = new RenderCache();
  const options = renderOptions(deployment, "jane");
  const context = {} as unknown as Context;
  for (const each of [revision, { ...revision, signers }]) {
    await cache.render(input, deployment, each, options, context);
  }
  assert.deepEqual(
    seen.map(({ isSigned }) => isSigned),
    [false, true],
  );
});
