// A module that has a say in how zones are kept in PowerDNS, for hooks.test.ts.
import { defineModule } from "../../src/authoring/setpoint.ts";
import { textAt } from "../../src/kernel/json-read.ts";

const mark = "team:";

export default defineModule({
  name: "zone-hooks",
  kinds: [],
  connect: [
    {
      kind: "zones.dns.tests.dev",
      // The service knows accounts by the team, people leave that out.
      mapDesired: async (desired, next) => {
        const { account, ...rest } = await next(desired);
        return { ...rest, ...(typeof account === "string" ? { account: mark + account } : {}) };
      },
      mapObserved: async (observed, next) => ({ ...(await next(observed)), seen: true }),
      beforeSend: async (request, next) => {
        const usual = await next(request);
        return { ...usual, query: { ...usual.query, asked_by: "hooks" } };
      },
      isReady: async (documents, next) =>
        documents.observed["account"] === `${mark}wait`
          ? { isReady: false, reason: "Postponed", message: "the account is not open yet" }
          : await next(documents),
      exportSecrets: async (documents, next) => ({
        ...(await next(documents)),
        "zone-facts": { id: textAt(documents.observed, "id") },
      }),
      classifyError: async (error, next) => (error.status === 422 ? "never" : await next(error)),
      validate: (change, next) => {
        const { errors, warnings } = next(change);
        const isOurs = JSON.stringify(change.object.spec).includes(".test.");
        const wrong = { field: "spec.name", message: "is not below test." };
        return { errors: isOurs ? errors : [...errors, wrong], warnings };
      },
    },
  ],
});
