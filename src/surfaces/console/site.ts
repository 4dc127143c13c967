// The built files of the console, as the surface needs them. All files are in memory and found by
// their exact path, so no path of a request reaches the file system.

/** A file of the build. */
export interface SiteFile {
  readonly contentType: string;
  /** Of the content, without quotes. */
  readonly digest: string;
  /** Whether its name contains a hash of its content, so that it never changes. */
  readonly isImmutable: boolean;
  readonly plain: Buffer;
  /** Absent where compression saves nothing. */
  readonly brotli?: Buffer | undefined;
  readonly gzip?: Buffer | undefined;
}

export type SiteState =
  | {
      readonly kind: "ready";
      /** By their paths below /console/, such as "assets/index-3f2a.js". */
      readonly files: ReadonlyMap<string, SiteFile>;
    }
  | { readonly kind: "building" }
  | { readonly kind: "failed"; readonly reason: string }
  /** This installation contains neither a build of the console nor its sources. */
  | { readonly kind: "absent" };

export interface ConsoleSite {
  /** The first call begins to read the files, or to build them. */
  state(): Promise<SiteState>;
}
