// A module for tests: a kind whose resources do as they are told. A server takes it from a file of
// its own, which only passes it on.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineModule, describeKind, done, failed } from "../../src/authoring/setpoint.ts";
import type { Context, Outcome, Resource } from "../../src/authoring/setpoint.ts";

interface Task extends Resource {
  readonly spec: { readonly does: "well" | "fail" | "hang" };
}

const kind = describeKind({
  apiVersion: "tasks.tests.dev/v1",
  kind: "Task",
  plural: "tasks",
  spec: { type: "object", properties: { does: { type: "string" } } },
});

const hanging = new Set<() => void>();

/** Writes the file that a server is to load into a folder. */
export async function writeTasksModule(folder: string): Promise<string> {
  const file = join(folder, "tasks.ts");
  const own = JSON.stringify(import.meta.url);
  await writeFile(file, `import { tasksModule } from ${own};\nexport default tasksModule;\n`);
  return file;
}

/** Ends the runs that hang, so that the server need not wait for them. */
export function letGo(): void {
  for (const resolve of hanging) resolve();
}

async function reconcile(task: Task, { signal }: Context): Promise<Outcome> {
  const { does } = task.spec;
  if (does === "fail") return failed("Broken", "it was told to fail", { retry: "slow" });
  if (does === "hang") {
    await new Promise<void>((resolve) => {
      hanging.add(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
  return done();
}

export const tasksModule = defineModule({
  name: "tasks",
  version: 1,
  kinds: [{ kind, reconciler: { reconcile } }],
});
