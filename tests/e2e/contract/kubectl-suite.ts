// The whole of kubectl against one server: what every store must make possible alike.
import { after, before, describe } from "node:test";
import { kubectlMinor, openKubectl } from "../../peers/kubectl.ts";
import { startSetpoint } from "../../peers/setpoint.ts";
import { accessTests } from "./kubectl-access.ts";
import { applyingTests } from "./kubectl-applying.ts";
import { deletingTests } from "./kubectl-deleting.ts";
import { discoveryTests } from "./kubectl-discovery.ts";
import { readingTests } from "./kubectl-reading.ts";
import { smokeTests } from "./kubectl-smoke.ts";
import { writingTests } from "./kubectl-writing.ts";
import { widgets } from "./scene.ts";
import type { Scene, Stage } from "./scene.ts";

export interface SuiteInput {
  readonly title: string;
  readonly path: string;
  readonly isShort?: boolean;
  /** Where the store is; the embedded one when left out. */
  readonly store?: () => Promise<string>;
}

export function kubectlSuite({ title, path, isShort = false, store }: SuiteInput): void {
  const minor = kubectlMinor(path);
  describe(`${title} with kubectl 1.${minor}`, { concurrency: 3 }, () => {
    let scene: Scene | undefined;
    const opened = new AsyncDisposableStack();
    const stage: Stage = {
      minor,
      scene: () => {
        if (scene === undefined) throw new Error("the server has not started");
        return scene;
      },
    };
    before(async () => {
      const where = store === undefined ? {} : { store: await store() };
      const server = opened.use(await startSetpoint(where));
      const kubectl = opened.use(await openKubectl(path, server.kubeconfig));
      await kubectl.ok(["create", "-f", "-"], { input: widgets });
      await kubectl.ok(["wait", "--for=condition=Established", "crd", widgets.metadata.name]);
      scene = { server, kubectl };
    });
    after(async () => await opened.disposeAsync());
    if (isShort) smokeTests(stage);
    else for (const declare of parts) declare(stage);
  });
}

const parts = [
  discoveryTests,
  readingTests,
  writingTests,
  applyingTests,
  deletingTests,
  accessTests,
];
