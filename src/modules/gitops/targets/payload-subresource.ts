// GET .../syncbundles/NAME/payload?part=N: the request of a SyncBundle, for the agent of its
// cluster. Agents may not read the Secrets of their namespace.

import type { Subresource } from "../../../contract/subresource.ts";
import { badRequest, notFound } from "../../../intents/refusals.ts";
import { keyOfTarget } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { bundlesKind, gitopsVersion } from "../names.ts";

export const payloadSubresource: Subresource = {
  kind: bundlesKind,
  name: "payload",
  verbs: ["get"],
  handle: async ({ target, intents: { store }, query }) => {
    const record = await store.get(keyOfTarget(target));
    if (record === undefined) throw notFound(target.served.kind, target.name);
    const spec = objectAt(decodeDocument(record.body, record.revision), "spec");
    const parts = numberAt(spec, "parts") ?? 0;
    const part = Number(query.get("part") ?? "0");
    if (!Number.isInteger(part) || part < 0 || part >= parts) {
      throw badRequest(`part must be a number from 0 to ${parts - 1}`);
    }
    const name = `${textAt(spec, "payloadSecret")}-${part}`;
    const found = await store.get({ kind: "secrets", namespace: target.namespace, name });
    // The SyncBundle has another request since: its agent reads it again.
    if (found === undefined) throw notFound(target.served.kind, target.name);
    const secret = decodeDocument(found.body, found.revision);
    const document = {
      apiVersion: gitopsVersion,
      kind: "SyncBundlePayload",
      digest: textAt(spec, "digest"),
      part,
      parts,
      data: textAt(secret, "data", "payload"),
    };
    return { status: 200, document };
  },
};
