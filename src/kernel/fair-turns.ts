// Work of many tenants in small steps that share the event loop. In one turn of the loop, steps run
// until their cost reaches a budget; the rest waits for later turns, while requests are handled in
// between. Tenants take turns step by step, so a tenant with thousands of tasks delays another by
// one step. Work that fits into the budget runs at once, without a promise.

import { during } from "./activity.ts";
import type { Activity } from "./activity.ts";

/**
 * One step of a task. True: the task has more to do, and continues before the tenant's later ones.
 * A step that throws ends the task.
 */
export type Task = () => boolean;

export interface FairTurnsOptions {
  /** The cost of all steps in one turn of the event loop. */
  readonly budget: number;
  /** Runs the function in a later turn of the event loop. */
  readonly later: (run: () => void) => void;
  /** The cost of a step is the difference of two readings. Left out: tasks call `spend`. */
  readonly clock?: () => number;
}

/** Turns of this process whose cost is time. `name` is what the watchdog calls them. */
export function timedTurns(name: string, budgetMs: number): FairTurns {
  const clock = (): number => performance.now();
  return new FairTurns({ budget: budgetMs, later: laterAs(name), clock });
}

/** Turns of this process whose cost the tasks state. */
export function countedTurns(name: string, budget: number): FairTurns {
  return new FairTurns({ budget, later: laterAs(name) });
}

/** The work of later turns belongs to no request, whichever of them planned the turn. */
function laterAs(name: string): FairTurnsOptions["later"] {
  const activity: Activity = { brief: () => name, facts: () => ({ activity: name }) };
  return (run) => {
    setImmediate(() => during(activity, run));
  };
}

/** Has a life cycle, hence a class. */
export class FairTurns {
  readonly #options: FairTurnsOptions;
  /** Tasks that wait, by tenant, in the order of turns. */
  readonly #waiting = new Map<string, Set<Task>>();
  #spent = 0;
  #isPlanned = false;
  #isRunning = false;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
  }

  /** Whether a cost may be caused in this turn of the event loop without a task. */
  get isOpen(): boolean {
    return this.#waiting.size === 0 && this.#hasBudget;
  }

  /** Tenants whose tasks wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Adding a task that waits already changes nothing. */
  add(tenant: string, task: Task): void {
    const tasks = this.#waiting.get(tenant);
    if (tasks === undefined) this.#waiting.set(tenant, new Set([task]));
    else tasks.add(task);
    if (this.#isRunning) return;
    if (this.#hasBudget) this.#run();
    else this.#plan();
  }

  /** Counts a cost in this turn of the event loop. */
  spend(cost: number): void {
    this.#spent += cost;
    this.#plan();
  }

  get #hasBudget(): boolean {
    return this.#spent < this.#options.budget;
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#options.later(() => {
      this.#isPlanned = false;
      this.#spent = 0;
      this.#run();
    });
  }

  #run(): void {
    this.#isRunning = true;
    try {
      while (this.#waiting.size > 0 && this.#hasBudget) this.#step();
    } finally {
      this.#isRunning = false;
      if (this.#waiting.size > 0) this.#plan();
    }
  }

  #step(): void {
    const { clock } = this.#options;
    for (const [tenant, tasks] of this.#waiting) {
      // To the end of the turns; the task keeps its place among those of the tenant.
      this.#waiting.delete(tenant);
      this.#waiting.set(tenant, tasks);
      const [task] = tasks;
      const startedAt = clock?.() ?? 0;
      let isKept = false;
      try {
        isKept = task?.() ?? false;
      } finally {
        if (clock !== undefined) this.spend(clock() - startedAt);
        if (!isKept && task !== undefined) tasks.delete(task);
        if (tasks.size === 0) this.#waiting.delete(tenant);
      }
      return;
    }
  }
}
