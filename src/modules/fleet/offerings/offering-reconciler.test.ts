import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleOffering } from "../sample-offering.ts";
import { offeringReconciler } from "./offering-reconciler.ts";

test("an Offering changes nothing while the process does not know its clusters", async () => {
  const ports = { state: { clusters: () => undefined } };
  const reconciler = offeringReconciler(ports as never);
  const error = { code: "module.unavailable" };
  await assert.rejects(
    async () => await reconciler.reconcile(sampleOffering(), {} as never),
    error,
  );
});
