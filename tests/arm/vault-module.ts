// A module whose kinds hide fields of which their faces say nothing, or something else.
import { defineModule, describeKind, done } from "../../src/authoring/setpoint.ts";
import type { JsonObject } from "../../src/authoring/setpoint.ts";

const text = { type: "string" } as const;
const number = { type: "integer" } as const;
const rule = "x-setpoint-field-rule";

const spec = {
  type: "object",
  properties: { code: text, pin: text, n: number, note: text },
} as const;

const reconciler = {
  reconcile: () => Promise.resolve(done()),
  remove: () => Promise.resolve(done()),
};

export default defineModule({
  name: "vaults",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "vault.tests.dev/v1",
        kind: "Vault",
        plural: "vaults",
        spec,
        fieldRules: [
          { path: "/spec/code", rule: "secret" },
          { path: "/spec/pin", rule: "secret" },
        ],
      }),
      reconciler,
      arm: {
        provider: "Example.Vaults",
        awaitEndMs: 0,
        type: "vaults",
        locations: ["westeurope"],
        versions: [
          {
            apiVersion: "2026-01-01",
            schema: {
              type: "object",
              properties: {
                code: { ...text, [rule]: "create-only" },
                pin: text,
                n: { ...number, maximum: 100 },
                note: { ...text, [rule]: "secret" },
              },
            },
          },
          {
            apiVersion: "2026-02-01",
            schema: {
              ...spec,
              "x-kubernetes-validations": [
                {
                  rule: "!has(self.n) || self.n < 50",
                  messageExpression: "'n is too large for ' + self.code",
                  message: "n is too large",
                  fieldPath: ".n",
                },
              ],
            },
          },
          {
            apiVersion: "2026-03-01",
            schema: {
              type: "object",
              properties: {
                lock: { type: "object", properties: { code: { ...text, [rule]: "create-only" } } },
                n: number,
                pins: { type: "object", properties: { first: text } },
              },
            },
            fromStored: ({ spec: { code, pin, n } }) => ({
              ...(code === undefined ? {} : { lock: { code } }),
              ...(pin === undefined ? {} : { pins: { first: pin } }),
              ...(n === undefined ? {} : { n }),
            }),
            toStored: ({ lock, pins, n }, before) => ({
              ...before,
              n: n ?? null,
              code: (lock as JsonObject | undefined)?.["code"] ?? null,
              pin: (pins as JsonObject | undefined)?.["first"] ?? null,
            }),
          },
        ],
        actions: [{ name: "reveal", perform: ({ spec: stored }) => stored as JsonObject }],
      },
    },
  ],
});
