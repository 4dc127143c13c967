// Command in a process: admission and the reconciler.

import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { invalid } from "../../../intents/refusals.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { OpenPart } from "../part.ts";
import { checkPolicy } from "../policy/policy-for.ts";
import { executionPorts } from "../runs/execution-ports.ts";
import { commandsKind } from "./command-kind.ts";
import { commandReconciler } from "./command-reconciler.ts";

export const openCommand: OpenPart = (ports) => ({
  admission: [commandGuard(ports.live)],
  start: ({ engine, ownIntents }, stops) => {
    const execution = executionPorts(ports, ownIntents);
    stops.defer(engine.add(commandReconciler({ execution, live: ports.live })));
  },
});

function commandGuard(live: LiveView): AdmissionPlugin {
  return {
    name: "Command",
    validate: (request) => {
      const { target, operation, object, old } = request;
      if (target.served.id !== commandsKind || target.subresource !== "") return;
      if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return;
      if (old !== undefined && equalJson(old.spec, object.spec)) return;
      const spec = objectAt(object, "spec");
      const errors = [...nameErrors(spec, "env"), ...nameErrors(spec, "secretEnv")];
      if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
      for (const program of [textAt(spec, "program"), textAt(spec, "onDestroy", "program")]) {
        if (program !== "") checkPolicy(live, request, { executor: "command", program });
      }
    },
  };
}

/** Variables that the loader of programs or the executor itself reads. */
const reserved = /^(?:LD_|DYLD_|SETPOINT_|PATH$|HOME$|TRACEPARENT$)/;

function nameErrors(spec: JsonObject, field: "env" | "secretEnv"): readonly FieldError[] {
  return Object.keys(objectAt(spec, field)).flatMap((name) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      const detail = "must have only letters, digits and underscores";
      return [invalidField(`spec.${field}`, name, detail)];
    }
    return reserved.test(name) ? [invalidField(`spec.${field}`, name, "is reserved")] : [];
  });
}
