// The number of replicas of any object that has one.

import { int32, message, of, required, string } from "./message.ts";
import { objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.autoscaling.v1";

export const scaleSpec = message(`${prefix}.ScaleSpec`, "Desired scale.", {
  replicas: [1, int32, "Desired number of replicas."],
});

export const scaleStatus = message(`${prefix}.ScaleStatus`, "Observed scale.", {
  replicas: [1, required(int32), "Observed number of replicas."],
  selector: [2, string, "The selector as a string."],
});

export const scale = message(`${prefix}.Scale`, "The number of replicas of an object.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  spec: [2, of(scaleSpec), "Desired scale."],
  status: [3, of(scaleStatus), "Observed scale."],
});
