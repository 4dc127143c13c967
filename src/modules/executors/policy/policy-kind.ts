// The kind ExecutorPolicy: which namespaces may run which programs, and as which user of the
// operating system. Only administrators write it. Without one, no tenant runs any program.

import type { DeclaredKind } from "../../../contract/module.ts";
import { allowedNamespaces } from "../../../kernel/allowed-namespaces.ts";
import { described, list, map, object } from "../../../kernel/schema-parts.ts";
import { executorsGroup } from "../group.ts";

export const policiesKind = `executorpolicies.${executorsGroup}`;

const program = { type: "string", pattern: "^(/[^\\0]*|[A-Za-z0-9._+-]+)$", maxLength: 1_024 };
const id = { type: "integer", minimum: 1, maximum: 4_294_967_294 };

const runAs = described(
  object({ uid: id, gid: id }, ["uid", "gid"]),
  "User and group of the operating system. The server must run as root. Default for a server " +
    "that runs as root: a user of each run. Otherwise programs run as the user of the server.",
);

const terraform = described(
  object({
    programs: described(
      { ...list(program, 20), default: ["terraform", "tofu"] },
      "Absolute paths, or names that are searched for in /usr/local/bin, /usr/bin and /bin.",
    ),
    providerMirror: described(
      { type: "string", pattern: "^/", maxLength: 1_024 },
      "A folder with providers (filesystem_mirror). With it, nothing is downloaded.",
    ),
    env: described(
      map({ type: "string", maxLength: 32_768 }, 100),
      "Further environment variables, such as those of providers. They are not secret.",
    ),
  }),
  "Allows TerraformStacks. Without it, none may run.",
);

const command = described(
  object({ programs: list(program, 1_000) }, ["programs"]),
  "Allows CommandRuns of these programs. Without it, none may run.",
);

const http = described(
  object({
    allowPrivate: described(
      object({
        cidrs: list({ type: "string", maxLength: 64 }, 100),
        hosts: described(
          list({ type: "string", maxLength: 253 }, 100),
          "Names in lower case, whatever their addresses are.",
        ),
      }),
      "Private, loopback and link-local addresses that HttpCalls may reach. Default: none.",
    ),
  }),
  "Limits of HttpCalls. Public addresses need no policy.",
);

const spec = object({
  allow: object({ namespaces: allowedNamespaces }),
  terraform,
  command,
  http,
  runAs,
  maxTimeoutSeconds: described(
    { type: "integer", minimum: 1, maximum: 86_400, default: 3_600 },
    "The longest time that one run may take.",
  ),
});

export const policyKinds: readonly DeclaredKind[] = [
  {
    isReconciled: false,
    kind: {
      group: executorsGroup,
      names: { plural: "executorpolicies", kind: "ExecutorPolicy", categories: ["executors"] },
      scope: "Cluster",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: object({ spec }, ["spec"]),
          printerColumns: [
            { name: "Namespaces", type: "string", jsonPath: ".spec.allow.namespaces.names" },
            { name: "Terraform", type: "string", jsonPath: ".spec.terraform.programs" },
            { name: "Command", type: "string", jsonPath: ".spec.command.programs" },
            { name: "Private", type: "string", jsonPath: ".spec.http.allowPrivate.cidrs" },
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
        },
      ],
    },
  },
];
