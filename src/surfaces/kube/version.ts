// /version: what clients take us for. The numbers are those of the Kubernetes API whose behaviour
// we follow; the git version says who really answers.

import type { PathHandler } from "./api.ts";
import { sendJson } from "./respond.ts";
import { notAllowed } from "./routing.ts";

export const kubernetesVersion = { major: "1", minor: "34" } as const;

export const gitVersion = `v${kubernetesVersion.major}.${kubernetesVersion.minor}.0+setpoint`;

const info = {
  ...kubernetesVersion,
  emulationMajor: kubernetesVersion.major,
  emulationMinor: kubernetesVersion.minor,
  minCompatibilityMajor: kubernetesVersion.major,
  minCompatibilityMinor: kubernetesVersion.minor,
  gitVersion,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "none",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};

const form = {
  encoding: "json",
  as: "object",
  metaVersion: "v1",
  isPretty: true,
  isStream: false,
} as const;

export const versionPath: PathHandler = async (exchange, { path }) => {
  if (path !== "/version" && path !== "/version/") return false;
  if (exchange.method !== "GET" && exchange.method !== "HEAD") throw notAllowed();
  await sendJson(exchange, { status: 200, form }, info);
  return true;
};
