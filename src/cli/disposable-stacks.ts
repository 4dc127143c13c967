/**
 * DisposableStack and AsyncDisposableStack for Node.js 22, which has Symbol.dispose but not these
 * classes. Node.js 24 has them. Only what this program uses.
 */
type Cleanup = () => unknown;

interface Disposes {
  [Symbol.dispose]?: () => unknown;
  [Symbol.asyncDispose]?: () => unknown;
}

abstract class Stack {
  protected cleanups: Cleanup[] = [];
  disposed = false;

  defer(cleanup: Cleanup): void {
    if (this.disposed) throw new ReferenceError("the stack was disposed");
    this.cleanups.push(cleanup);
  }

  adopt<T>(value: T, cleanup: (value: T) => unknown): T {
    this.defer(() => cleanup(value));
    return value;
  }

  protected moveTo<S extends Stack>(other: S): S {
    if (this.disposed) throw new ReferenceError("the stack was disposed");
    other.cleanups = this.cleanups;
    this.cleanups = [];
    this.disposed = true;
    return other;
  }

  /** In reverse order, and each one even if others fail. */
  protected taken(): readonly Cleanup[] {
    this.disposed = true;
    const { cleanups } = this;
    this.cleanups = [];
    return cleanups.toReversed();
  }
}

export class SyncStack extends Stack {
  use<T extends Disposes | null | undefined>(resource: T): T {
    const dispose = resource?.[Symbol.dispose];
    if (resource && dispose === undefined) throw new TypeError("the resource is not disposable");
    if (dispose !== undefined) this.defer(() => dispose.call(resource));
    return resource;
  }

  dispose(): void {
    this[Symbol.dispose]();
  }

  move(): SyncStack {
    return this.moveTo(new SyncStack());
  }

  [Symbol.dispose](): void {
    const errors: unknown[] = [];
    for (const cleanup of this.taken()) {
      try {
        cleanup();
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }
}

export class AsyncStack extends Stack {
  use<T extends Disposes | null | undefined>(resource: T): T {
    const dispose = resource?.[Symbol.asyncDispose] ?? resource?.[Symbol.dispose];
    if (resource && dispose === undefined) throw new TypeError("the resource is not disposable");
    if (dispose !== undefined) this.defer(() => dispose.call(resource));
    return resource;
  }

  move(): AsyncStack {
    return this.moveTo(new AsyncStack());
  }

  async disposeAsync(): Promise<void> {
    const errors: unknown[] = [];
    for (const cleanup of this.taken()) {
      try {
        await cleanup();
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disposeAsync();
  }
}

function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "several disposals failed");
}

/** Installs the classes where the runtime does not have them. */
export function installDisposableStacks(): void {
  const scope = globalThis as Record<string, unknown>;
  scope["DisposableStack"] ??= SyncStack;
  scope["AsyncDisposableStack"] ??= AsyncStack;
}
