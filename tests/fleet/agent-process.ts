// The real agent as a child process, with the token of its cluster in a file.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "../peers/child.ts";
import type { Program } from "../peers/child.ts";
import type { AgentServer } from "./agent-server.ts";
import type { TestDataPlane } from "./data-plane.ts";

export interface AgentProcessOptions {
  readonly cluster: string;
  /** Undefined: the simulator. */
  readonly dataPlane?: TestDataPlane;
  readonly args?: readonly string[];
}

export class AgentProcess implements AsyncDisposable {
  readonly #fleet: AgentServer;
  readonly #options: AgentProcessOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "setpoint-agent-"));
  #program: Program | undefined;

  constructor(fleet: AgentServer, options: AgentProcessOptions) {
    this.#fleet = fleet;
    this.#options = options;
  }

  get program(): Program {
    if (this.#program === undefined) throw new Error("the agent has not been started");
    return this.#program;
  }

  writeToken(token: string): void {
    writeFileSync(join(this.#folder, "token"), token, { mode: 0o600 });
  }

  /** Returns when the agent runs, which is before it has reported. */
  async start(): Promise<void> {
    const { cluster, dataPlane, args = [] } = this.#options;
    const { setpoint } = this.#fleet.server;
    this.writeToken(await this.#fleet.agentToken(cluster));
    writeFileSync(join(this.#folder, "ca.crt"), setpoint.ca);
    const target =
      dataPlane === undefined ? ["--simulate"] : ["--apply-to", dataPlane.setpoint.kubeconfig];
    this.#program = await startProgram("src/cli/main.ts", {
      args: [
        "agent",
        "--control-plane",
        setpoint.url,
        "--cluster",
        cluster,
        "--token-file",
        join(this.#folder, "token"),
        "--ca",
        join(this.#folder, "ca.crt"),
        ...target,
        ...args,
      ],
    });
    await this.#program.waitForLine(/agent started/);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.kill9();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function startAgent(
  fleet: AgentServer,
  options: AgentProcessOptions,
): Promise<AgentProcess> {
  const agent = new AgentProcess(fleet, options);
  await agent.start();
  return agent;
}
