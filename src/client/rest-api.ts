// Written by `npm run docs` from the OpenAPI document of the REST API. Do not edit.

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export interface Problem {
  /** Where the code is documented. */
  readonly type: string;
  /** What the code means. */
  readonly title: string;
  readonly status: number;
  /** Explanation of this problem. */
  readonly detail: string;
  /** Stable machine-readable code. */
  readonly code: string;
  /** The field or parameter that caused the problem. */
  readonly field?: string;
  /** Suggested action. */
  readonly suggestion: string;
  /** Id of the trace, to find the request in the log of the server. */
  readonly traceId: string;
  readonly errors?: readonly {
    readonly field?: string;
    /** As in required, type, unsupported, unknown. */
    readonly kind?: string;
    readonly detail?: string;
  }[];
}

export interface GetEnvironmentsAnswer {
  /** The snapshot that the pages show. */
  readonly revision: number;
  readonly items: readonly PostEnvironmentsAnswer[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface PostEnvironmentsAnswer {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  /** Counts the changes of the spec. */
  readonly generation?: number;
  readonly createdAt: string;
  /** When its deletion began; absent for a resource that is not being deleted. */
  readonly deletedAt?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostEnvironmentsAnswerSpec;
  readonly status?: {
    readonly phase?:
        | "Deploying"
        | "DeployedWaiting"
        | "DeployedOk"
        | "DeployedFail"
        | "Destroying"
        | "Destroyed";
    /** The phase in words, such as Deployed - OK. */
    readonly statusText?: string;
    readonly reason?: string;
    readonly message?: string;
    /** Date of creation. */
    readonly createdAt?: string;
    /** Date of destruction. */
    readonly destroyedAt?: string;
    /** Date of planned destruction. */
    readonly plannedDestructionAt?: string;
    readonly health?: {
      readonly state?: "Healthy" | "Unhealthy" | "Unknown";
      readonly message?: string;
      readonly endpoints?: readonly PostEnvironmentsAnswerStatusHealthEndpointsItem[];
      readonly since?: string;
      readonly validUntil?: string;
    };
    readonly drift?: PostEnvironmentsAnswerStatusDrift;
    readonly resources?: {
      readonly total?: number;
      readonly waiting?: number;
      readonly deploying?: number;
      readonly ready?: number;
      readonly failed?: number;
      readonly cancelled?: number;
      readonly removing?: number;
      readonly drifted?: number;
    };
    readonly failures?: readonly PostEnvironmentsAnswerStatusFailuresItem[];
    /** The Operation that runs. */
    readonly operation?: string;
    readonly lastOperation?: string;
    /** The last deployment that was completed. */
    readonly deployed?: {
      readonly operation?: string;
      readonly templates?: readonly string[];
      readonly digest?: string;
      readonly at?: string;
      readonly generation?: number;
    };
    readonly entryPoints?: readonly PostEnvironmentsAnswerStatusEntryPointsItem[];
    readonly transitions?: readonly {
      readonly at?: string;
      readonly phase?:
          | "Deploying"
          | "DeployedWaiting"
          | "DeployedOk"
          | "DeployedFail"
          | "Destroying"
          | "Destroyed";
      readonly reason?: string;
      readonly message?: string;
      readonly operation?: string;
    }[];
    readonly reminders?: readonly string[];
    readonly overdueAnnouncedAt?: string;
  };
}

export interface PostEnvironmentsAnswerSpec {
  /** Unique in the namespace while it is not Destroyed. */
  readonly displayName?: string;
  readonly description?: string;
  /** Names and values for people and searches. */
  readonly tags?: { readonly [key: string]: string };
  /** Names of the Templates that create it. */
  readonly templates: readonly string[];
  readonly parameters?: JsonObject;
  readonly secretParameters?: JsonObject;
  /** Default: Deployed. */
  readonly desired?: "Deployed" | "Destroyed";
  /** The ServiceAccount that applies the resources. Default: environment. */
  readonly serviceAccountName?: string;
  readonly approval?: "Automatic" | "Required";
  /** The Plan that may be carried out. */
  readonly approvedPlan?: string;
  readonly plannedDestruction?: {
    /** Date of planned destruction. */
    readonly at?: string;
    /**
     * Destroy: destroys it at the date. Keep: reports that the date has passed. Default: Destroy.
     */
    readonly onDue?: "Destroy" | "Keep";
    /** Reminders before the date. Default: two days, two hours, half an hour. */
    readonly remindSeconds?: readonly number[];
  };
  /** Whether destruction and deletion are refused. */
  readonly protected?: boolean;
  readonly drift?: {
    /** How often resources are compared with the external systems; 0: on request only. */
    readonly checkSeconds?: number;
    /** Default: Report. */
    readonly onDrift?: "Report" | "Reconcile";
    /** status.drift.digest of the drift that is accepted. */
    readonly accept?: string;
  };
  /** Where users reach it. URLs may contain expressions. */
  readonly entryPoints?: readonly PostEnvironmentsAnswerSpecEntryPointsItem[];
  /** URLs that answer whether it is healthy. They are called during validation and afterwards. */
  readonly statusEndpoints?: readonly PostEnvironmentsAnswerSpecStatusEndpointsItem[];
}

export interface PostEnvironmentsAnswerSpecEntryPointsItem {
  readonly name: string;
  readonly url: string;
  readonly description?: string;
}

export interface PostEnvironmentsAnswerSpecStatusEndpointsItem {
  readonly name: string;
  readonly url: string;
  readonly method?: "GET" | "HEAD";
  /** Statuses that mean healthy. Default: 200 to 299. */
  readonly expectStatus?: readonly number[];
  /** A text that the body must contain. */
  readonly expectText?: string;
  /** How often it is called. */
  readonly intervalSeconds?: number;
  readonly timeoutSeconds?: number;
}

export interface PostEnvironmentsAnswerStatusHealthEndpointsItem {
  readonly name?: string;
  readonly url?: string;
  readonly healthy?: boolean;
  readonly message?: string;
  readonly checkedAt?: string;
  readonly since?: string;
}

export interface PostEnvironmentsAnswerStatusDrift {
  readonly state?: "None" | "Drifted" | "Unknown" | "Accepted";
  readonly checkedAt?: string;
  readonly digest?: string;
  readonly resources?: number;
  readonly items?: readonly {
    readonly resource?: string;
    readonly path?: string;
    readonly address?: string;
    readonly kind?: "changed" | "missing" | "unexpected";
    readonly message?: string;
  }[];
}

export interface PostEnvironmentsAnswerStatusFailuresItem {
  readonly resource?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface PostEnvironmentsAnswerStatusEntryPointsItem {
  readonly name?: string;
  readonly url?: string;
  readonly description?: string;
}

export interface PostEnvironmentsBody {
  /** The server generates an id when it is absent. */
  readonly id?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostEnvironmentsAnswerSpec;
}

export interface PutEnvironmentsByIdBody {
  readonly spec: PostEnvironmentsAnswerSpec;
}

export interface PatchEnvironmentsByIdBody {
  readonly spec: JsonObject;
}

export interface PostEnvironmentsByIdExtendBody {
  /** The new date. */
  readonly at?: string;
  /** Seconds after the present date, or from now if that is later. */
  readonly seconds?: number;
}

export interface PostEnvironmentsByIdPlanAnswer {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  /** Counts the changes of the spec. */
  readonly generation?: number;
  readonly createdAt: string;
  /** When its deletion began; absent for a resource that is not being deleted. */
  readonly deletedAt?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: {
    readonly environment: string;
    /** Plans the destruction. */
    readonly destroy?: boolean;
    /** Default: those of the Environment. */
    readonly templates?: readonly string[];
    readonly parameters?: JsonObject;
    readonly secretParameters?: JsonObject;
    /** Set by the server. */
    readonly requestedBy?: string;
  };
  readonly status?: {
    readonly phase?: "Pending" | "Ready" | "Failed";
    readonly reason?: string;
    readonly message?: string;
    /** Of the deployment that was planned. */
    readonly digest?: string;
    /** Generations. */
    readonly base?: { readonly [key: string]: number };
    readonly add?: number;
    readonly change?: number;
    readonly remove?: number;
    readonly deferred?: number;
    readonly changes?: readonly {
      readonly resource?: string;
      readonly key?: string;
      readonly kind?: string;
      readonly action?: "add" | "change" | "remove" | "none";
      readonly reason?: string;
      /** The kind cannot be planned: it will run. */
      readonly willRun?: boolean;
      readonly fields?: readonly {
        readonly path?: string;
        readonly before?: Json;
        readonly after?: Json;
        /** The value is known after this resource is applied. */
        readonly deferred?: string;
        readonly hidden?: boolean;
      }[];
      /** Changes that the kind of the target planned itself. */
      readonly nested?: {
        readonly plan?: string;
        readonly add?: number;
        readonly change?: number;
        readonly remove?: number;
        readonly changes?: readonly {
          readonly address?: string;
          readonly action?: string;
          readonly fields?: readonly Json[];
        }[];
      };
    }[];
    readonly moreChanges?: number;
    readonly readyAt?: string;
  };
}

export interface PostEnvironmentsByIdPlanBody {
  /** Plan the destruction. */
  readonly destroy?: boolean;
  readonly templates?: readonly string[];
  readonly parameters?: JsonObject;
  readonly secretParameters?: JsonObject;
}

export interface PostEnvironmentsByIdCancelAnswer {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  /** Counts the changes of the spec. */
  readonly generation?: number;
  readonly createdAt: string;
  /** When its deletion began; absent for a resource that is not being deleted. */
  readonly deletedAt?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: {
    readonly environment: string;
    readonly type:
        | "Deploy"
        | "Destroy"
        | "Rollback"
        | "Retry"
        | "Action"
        | "CheckDrift"
        | "ReconcileDrift";
    /** For Action: the action of the Template. */
    readonly action?: string;
    /** For Retry, CheckDrift and ReconcileDrift: a key, or the name of an EnvironmentResource. */
    readonly resource?: string;
    /** For Rollback: the Operation whose deployment is restored. */
    readonly to?: string;
    /** Cancels the Operation. Force does not wait for a graceful end. */
    readonly cancel?: "Graceful" | "Force";
    /** Set by the server. */
    readonly requestedBy?: string;
    /** What is deployed. Set by the server; a Rollback restores it. */
    readonly deployment?: {
      /** Names of the Templates that create it. */
      readonly templates?: readonly string[];
      readonly parameters?: JsonObject;
      readonly secretParameters?: JsonObject;
      readonly serviceAccountName?: string;
      readonly displayName?: string;
      /** Names and values for people and searches. */
      readonly tags?: { readonly [key: string]: string };
      readonly generation?: number;
      readonly digest?: string;
    };
  };
  readonly status?: {
    readonly phase?:
        | "Queued"
        | "AwaitingApproval"
        | "Running"
        | "Succeeded"
        | "Failed"
        | "Cancelled"
        | "Superseded";
    readonly reason?: string;
    readonly message?: string;
    readonly startedAt?: string;
    readonly endedAt?: string;
    /** For Deploy: the Plan that was approved. */
    readonly plan?: string;
    /** For a Deploy that failed or was cancelled: when its resources were all ready. */
    readonly completedAt?: string;
    readonly progress?: PostEnvironmentsByIdCancelAnswerStatusProgress;
    readonly changes?: {
      readonly added?: number;
      readonly changed?: number;
      readonly removed?: number;
    };
    readonly failures?: readonly PostEnvironmentsAnswerStatusFailuresItem[];
    readonly outputs?: JsonObject;
  };
}

export interface PostEnvironmentsByIdCancelAnswerStatusProgress {
  readonly done?: number;
  readonly of?: number;
  readonly message?: string;
}

export interface PostEnvironmentsByIdRetryBody {
  /** A key of the template, or the id of a resource. Default: all of them. */
  readonly resource?: string;
}

export interface GetEnvironmentsByIdGraphAnswer {
  readonly revision: number;
  readonly nodes: readonly {
    readonly id: string;
    readonly type: "resource" | "external";
    readonly key?: string;
    readonly name: string;
    readonly group?: string;
    readonly template?: string;
    /** The kind that it applies. */
    readonly target?: string;
    readonly state?: string;
    readonly reason?: string;
    readonly drift?: string;
  }[];
  readonly edges: readonly {
    /** The dependant. */
    readonly from: string;
    /** Its dependency. */
    readonly to: string;
  }[];
  /** Edges that are not shown. */
  readonly omittedEdges?: number;
}

export interface GetEnvironmentsByIdLogsAnswer {
  /** A bookmark has only the position: there is no output up to it. */
  readonly type: "output" | "bookmark";
  /** To resume after it. */
  readonly revision: number;
  /** The key; empty for actions and plans. */
  readonly resource?: string;
  /** The name of the action; empty for resources. */
  readonly action?: string;
  readonly executor?: string;
  readonly run?: string;
  readonly chunk?: number;
  /** Complete lines. */
  readonly text?: string;
}

export interface GetTemplatesAnswer {
  /** The snapshot that the pages show. */
  readonly revision: number;
  readonly items: readonly PostTemplatesAnswer[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface PostTemplatesAnswer {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  /** Counts the changes of the spec. */
  readonly generation?: number;
  readonly createdAt: string;
  /** When its deletion began; absent for a resource that is not being deleted. */
  readonly deletedAt?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostTemplatesAnswerSpec;
  readonly status?: Json;
}

export interface PostTemplatesAnswerSpec {
  readonly id: string;
  readonly version: number;
  readonly name?: string;
  readonly description?: string;
  /** Names and values for people and searches. */
  readonly tags?: { readonly [key: string]: string };
  readonly source?: {
    readonly repository?: string;
    /** The commit that contains this version. */
    readonly commit?: string;
    readonly path?: string;
  };
  readonly parameters?: { readonly [key: string]: {
    readonly type:
        | "string"
        | "integer"
        | "number"
        | "boolean"
        | "array"
        | "object";
    readonly description?: string;
    readonly default?: Json;
    /** Whether an Environment must state it. */
    readonly required?: boolean;
    /** Whether it is stated in secretParameters. It can feed only secret fields. */
    readonly secret?: boolean;
    readonly enum?: readonly Json[];
    readonly pattern?: string;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly minItems?: number;
    readonly maxItems?: number;
    readonly items?: JsonObject;
    readonly properties?: { readonly [key: string]: JsonObject };
  } };
  readonly resources: readonly {
    readonly key: string;
    readonly name?: string;
    readonly description?: string;
    /** Names and values for people and searches. */
    readonly tags?: { readonly [key: string]: string };
    /** How many instances: a number, or an expression over parameters and environment. */
    readonly count?: Json;
    /** Keys of other resources, or external/NAME. References in expressions count without it. */
    readonly dependsOn?: readonly string[];
    /** The id of a resource group. */
    readonly group?: string;
    /** The document that is applied: any namespaced kind. Its texts may contain CEL in ${…}. */
    readonly template: PostTemplatesAnswerSpecResourcesItemTemplate;
    /** CEL over `resource`: the target is ready. Default: its condition Ready is True. */
    readonly readyWhen?: string;
    /** CEL over `resource` by name. Default: status.outputs of the target. */
    readonly outputs?: { readonly [key: string]: string };
    /** Where users reach it. URLs may contain expressions. */
    readonly entryPoints?: readonly PostEnvironmentsAnswerSpecEntryPointsItem[];
    /** URLs that answer whether it is healthy. They are called during validation and afterwards. */
    readonly statusEndpoints?: readonly PostEnvironmentsAnswerSpecStatusEndpointsItem[];
  }[];
  readonly resourceGroups?: readonly {
    readonly id: string;
    readonly name?: string;
    readonly description?: string;
    /** Names and values for people and searches. */
    readonly tags?: { readonly [key: string]: string };
    /** Links: the key of a resource and the Template that creates it. Default: this one. */
    readonly resources?: readonly {
      readonly id: string;
      readonly template?: string;
    }[];
    /** Groups that come before it. */
    readonly dependsOn?: readonly string[];
  }[];
  readonly externals?: readonly {
    readonly name: string;
    readonly description?: string;
    /** Name of the ExternalResource. Default: the same name. */
    readonly resource?: string;
  }[];
  readonly actions?: readonly {
    readonly name: string;
    readonly description?: string;
    /** The application that the action calls, and the command that it executes. */
    readonly app?: {
      readonly url?: string;
      readonly name?: string;
      readonly command?: string;
    };
    /** When it runs. Default: on request. */
    readonly on?: readonly ("Request" | "AfterDeploy" | "BeforeDestroy")[];
    /** What runs it. Expressions may read `action`. Default: an HttpCall of app.url. */
    readonly template?: PostTemplatesAnswerSpecResourcesItemTemplate;
    readonly readyWhen?: string;
  }[];
  /** Secrets to generate once for each Environment; expressions read secrets.NAME. */
  readonly secrets?: readonly {
    readonly name: string;
    readonly description?: string;
    /** Default: 32. */
    readonly bytes?: number;
    readonly format?: "base64url" | "hex";
  }[];
  /** Where users reach it. URLs may contain expressions. */
  readonly entryPoints?: readonly PostEnvironmentsAnswerSpecEntryPointsItem[];
  /** URLs that answer whether it is healthy. They are called during validation and afterwards. */
  readonly statusEndpoints?: readonly PostEnvironmentsAnswerSpecStatusEndpointsItem[];
  /** How long status endpoints may take to become healthy after a deployment. Default: 600 s. */
  readonly validation?: {
    readonly timeoutSeconds?: number;
  };
  /** Default and maximum time from the creation of an Environment to its planned destruction. */
  readonly lifetime?: {
    readonly defaultSeconds?: number;
    readonly maximumSeconds?: number;
  };
  /**
   * Users and groups that may use it, besides what RBAC requires. An absent list restricts nothing.
   */
  readonly permissions?: {
    readonly deploy?: PostTemplatesAnswerSpecPermissionsDeploy;
    readonly approve?: PostTemplatesAnswerSpecPermissionsDeploy;
    readonly destroy?: PostTemplatesAnswerSpecPermissionsDeploy;
    /** Whether changes of its Environments need an approved Plan. Default: Automatic. */
    readonly approval?: "Automatic" | "Required";
    /** Whether users may approve their own changes. Default: true. */
    readonly selfApproval?: boolean;
  };
}

export interface PostTemplatesAnswerSpecResourcesItemTemplate {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: {
    /** Default: ENVIRONMENT.KEY, or ENVIRONMENT.KEY.INDEX. */
    readonly name?: string;
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
  readonly spec?: JsonObject;
  readonly data?: JsonObject;
  readonly stringData?: JsonObject;
}

export interface PostTemplatesAnswerSpecPermissionsDeploy {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
}

export interface PostTemplatesBody {
  /** The server generates an id when it is absent. */
  readonly id?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostTemplatesAnswerSpec;
}

export interface GetResourcesAnswer {
  /** The snapshot that the pages show. */
  readonly revision: number;
  readonly items: readonly {
    readonly id: string;
    readonly namespace: string;
    readonly uid: string;
    readonly revision: number;
    /** Counts the changes of the spec. */
    readonly generation?: number;
    readonly createdAt: string;
    /** When its deletion began; absent for a resource that is not being deleted. */
    readonly deletedAt?: string;
    readonly labels?: { readonly [key: string]: string };
    readonly spec: {
      readonly environment: string;
      /** The Template that creates it. */
      readonly template: string;
      /** The entry of the Template. */
      readonly key: string;
      readonly name?: string;
      readonly description?: string;
      /** Names and values for people and searches. */
      readonly tags?: { readonly [key: string]: string };
      readonly group?: string;
      /** How many instances of the entry the Environment has. */
      readonly count?: number;
      /** Which of them it is, from 0; absent without a count. */
      readonly index?: number;
      /** Names of the EnvironmentResources that are ready before it is applied. */
      readonly dependsOn?: readonly string[];
      readonly externals?: readonly string[];
      /** The values that its expressions read. */
      readonly input?: {
        readonly parameters?: JsonObject;
        readonly secrets?: JsonObject;
        readonly environment?: JsonObject;
      };
      readonly serviceAccountName?: string;
    };
    readonly status?: {
      readonly state?:
          | "Waiting"
          | "Deploying"
          | "Ready"
          | "Failed"
          | "Cancelled"
          | "Removing";
      readonly reason?: string;
      readonly message?: string;
      /** The resource that it applied. */
      readonly target?: {
        readonly apiVersion?: string;
        readonly kind?: string;
        readonly resource?: string;
        readonly name?: string;
        readonly uid?: string;
        readonly generation?: number;
      };
      readonly outputs?: JsonObject;
      /** The Secret with secret outputs. */
      readonly secretOutputs?: {
        readonly name?: string;
        readonly keys?: readonly string[];
      };
      readonly drift?: PostEnvironmentsAnswerStatusDrift;
      /** Entry points, with their expressions evaluated. */
      readonly links?: readonly PostEnvironmentsAnswerStatusEntryPointsItem[];
      readonly statusEndpoints?: readonly PostEnvironmentsAnswerStatusHealthEndpointsItem[];
      readonly progress?: PostEnvironmentsByIdCancelAnswerStatusProgress;
      /** The last Operation that ran it again. */
      readonly run?: string;
      /** Of the document that was applied. */
      readonly digest?: string;
      readonly readyAt?: string;
      readonly deployedGeneration?: number;
      /** Of the applied document. */
      readonly dependsOn?: readonly string[];
    };
  }[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface GetResourceGroupsAnswer {
  /** The snapshot that the pages show. */
  readonly revision: number;
  readonly items: readonly PostResourceGroupsAnswer[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface PostResourceGroupsAnswer {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  /** Counts the changes of the spec. */
  readonly generation?: number;
  readonly createdAt: string;
  /** When its deletion began; absent for a resource that is not being deleted. */
  readonly deletedAt?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostResourceGroupsAnswerSpec;
  readonly status?: {
    readonly state?: "Waiting" | "Deploying" | "Ready" | "Failed" | "Removing";
    readonly resources?: {
      readonly total?: number;
      readonly ready?: number;
      readonly failed?: number;
    };
  };
}

export interface PostResourceGroupsAnswerSpec {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** Names and values for people and searches. */
  readonly tags?: { readonly [key: string]: string };
  readonly environment?: string;
  readonly resources?: readonly {
    /** Name of an EnvironmentResource. */
    readonly id: string;
    /** The Template that creates it. */
    readonly template?: string;
    /** Ids of links of this group that come before it. */
    readonly dependsOn?: readonly string[];
  }[];
  /** Names of the ResourceGroups that come before it. */
  readonly dependsOn?: readonly string[];
}

export interface PostResourceGroupsBody {
  /** The server generates an id when it is absent. */
  readonly id?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostResourceGroupsAnswerSpec;
}

export interface PutResourceGroupsByIdBody {
  readonly spec: PostResourceGroupsAnswerSpec;
}

export interface GetExternalResourcesAnswer {
  /** The snapshot that the pages show. */
  readonly revision: number;
  readonly items: readonly PostExternalResourcesAnswer[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface PostExternalResourcesAnswer {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  /** Counts the changes of the spec. */
  readonly generation?: number;
  readonly createdAt: string;
  /** When its deletion began; absent for a resource that is not being deleted. */
  readonly deletedAt?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostExternalResourcesAnswerSpec;
  readonly status?: {
    readonly outputs?: JsonObject;
    readonly statusEndpoints?: readonly PostEnvironmentsAnswerStatusHealthEndpointsItem[];
  };
}

export interface PostExternalResourcesAnswerSpec {
  readonly name?: string;
  readonly description?: string;
  /** Names and values for people and searches. */
  readonly tags?: { readonly [key: string]: string };
  /** Values that templates read as externals.NAME.outputs. */
  readonly outputs?: JsonObject;
  /** A Secret of the namespace, read as externals.NAME.secretOutputs. */
  readonly secretRef?: {
    readonly name: string;
  };
  /** A resource of the namespace that it stands for. It must be ready, and has the outputs. */
  readonly resource?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
  };
  /** Where users reach it. URLs may contain expressions. */
  readonly entryPoints?: readonly PostEnvironmentsAnswerSpecEntryPointsItem[];
  /** URLs that answer whether it is healthy. They are called during validation and afterwards. */
  readonly statusEndpoints?: readonly PostEnvironmentsAnswerSpecStatusEndpointsItem[];
}

export interface PostExternalResourcesBody {
  /** The server generates an id when it is absent. */
  readonly id?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostExternalResourcesAnswerSpec;
}

export interface PutExternalResourcesByIdBody {
  readonly spec: PostExternalResourcesAnswerSpec;
}

export interface GetOperationsAnswer {
  /** The snapshot that the pages show. */
  readonly revision: number;
  readonly items: readonly PostEnvironmentsByIdCancelAnswer[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface GetPlansAnswer {
  /** The snapshot that the pages show. */
  readonly revision: number;
  readonly items: readonly PostEnvironmentsByIdPlanAnswer[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface GetTemplateRolloutsAnswer {
  /** The snapshot that the pages show. */
  readonly revision: number;
  readonly items: readonly PostTemplateRolloutsAnswer[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface PostTemplateRolloutsAnswer {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  /** Counts the changes of the spec. */
  readonly generation?: number;
  readonly createdAt: string;
  /** When its deletion began; absent for a resource that is not being deleted. */
  readonly deletedAt?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostTemplateRolloutsAnswerSpec;
  readonly status?: {
    readonly phase?:
        | "Planning"
        | "AwaitingApproval"
        | "Rolling"
        | "Paused"
        | "Succeeded";
    readonly message?: string;
    /** The wave that is moved, from 1. */
    readonly wave?: number;
    readonly waves?: number;
    readonly total?: number;
    readonly moved?: number;
    readonly failed?: number;
    readonly add?: number;
    readonly change?: number;
    readonly remove?: number;
    readonly environments?: readonly {
      readonly name?: string;
      readonly wave?: number;
      readonly state?:
          | "Planning"
          | "Planned"
          | "Moving"
          | "Moved"
          | "Failed"
          | "Skipped";
      readonly message?: string;
      readonly plan?: string;
      readonly add?: number;
      readonly change?: number;
      readonly remove?: number;
    }[];
  };
}

export interface PostTemplateRolloutsAnswerSpec {
  /** The Template that Environments are moved to. */
  readonly template: string;
  /** Only Environments with these tags. Default: all. */
  readonly tags?: { readonly [key: string]: string };
  /** Set by the server: Environments that use another version when the rollout is created. */
  readonly environments?: readonly {
    readonly name: string;
    readonly serviceAccountName?: string;
  }[];
  /** How many Environments each wave moves; the last wave moves the rest. Default: one wave. */
  readonly waves?: readonly number[];
  /** Whether to move Environments. Needs the right to approve plans. Default: false. */
  readonly approved?: boolean;
  /** Set by the server. */
  readonly requestedBy?: string;
  /** Whether to move no further Environments. */
  readonly paused?: boolean;
  /** Environments that are not moved. */
  readonly skip?: readonly string[];
}

export interface PostTemplateRolloutsBody {
  /** The server generates an id when it is absent. */
  readonly id?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly spec: PostTemplateRolloutsAnswerSpec;
}

export interface GetSearchAnswer {
  /** What the index includes. */
  readonly revision: number;
  /** False when a bound ended the search. */
  readonly isComplete?: boolean;
  /** Hits that were ranked. */
  readonly count: number;
  readonly items: readonly GetSearchAnswerItemsItem[];
}

export interface GetSearchAnswerItemsItem {
  readonly type:
      | "environments"
      | "templates"
      | "resources"
      | "resource-groups"
      | "external-resources";
  readonly namespace: string;
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly tags?: { readonly [key: string]: string };
  readonly state?: string;
  readonly environment?: string;
  readonly score?: number;
  readonly depth?: number;
}

export interface GetSearchGraphByTypeByIdAnswer {
  /** What the index includes. */
  readonly revision: number;
  /** False when a bound ended the search. */
  readonly isComplete?: boolean;
  readonly nodes: readonly GetSearchAnswerItemsItem[];
  readonly edges: readonly {
    readonly from?: string;
    readonly to?: string;
    readonly type?: string;
  }[];
}

export interface GetSearchPathAnswer {
  /** What the index includes. */
  readonly revision: number;
  /** False when a bound ended the search. */
  readonly isComplete?: boolean;
  readonly path?: readonly GetSearchAnswerItemsItem[];
}

export interface GetAgentClustersByClusterAnswer {
  readonly id?: string;
  readonly kind?: string;
  readonly dns?: string;
  readonly offerings?: readonly {
    readonly name?: string;
    readonly plural?: string;
    readonly applies?: {
      readonly apiVersion?: string;
      readonly kind?: string;
    };
    readonly poll_seconds?: number;
    readonly resync_seconds?: number;
    readonly href?: string;
  }[];
}

export interface GetGitopsDeploymentsByNamespaceByNameTreeAnswer {
  readonly namespace: string;
  readonly name: string;
  /** The managed environment; empty for this server. */
  readonly environment: string;
  /** The managed objects. */
  readonly nodes: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    /** Of a managed object: Synced, OutOfSync or Unknown. */
    readonly status?: string;
    /** Absent where the kind has no rule. */
    readonly health?: {
      readonly status?: string;
      readonly message?: string;
    };
    readonly hook?: boolean;
    readonly prune?: boolean;
    /** The objects that name this one as an owner, as nodes. */
    readonly children: readonly JsonObject[];
  }[];
  /** Objects that the caller may not read. */
  readonly hidden: number;
  /** Objects beyond the bounds of the tree. */
  readonly omitted: number;
  /** What is not known about the objects below the managed ones, and why. */
  readonly notes: readonly string[];
}

export interface GetResourcesByKindAnswer {
  readonly kind: string;
  /** The response includes all changes up to this revision. */
  readonly revision: number;
  readonly columns: readonly {
    /** In the rows, in filters and for sorting. */
    readonly key: string;
    readonly title: string;
    readonly type: "text" | "number" | "boolean";
  }[];
  readonly items: readonly GetResourcesByKindAnswerItemsItem[];
  /** The cursor of the next page. Absent on the last page. */
  readonly next?: string;
}

export interface GetResourcesByKindAnswerItemsItem {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly revision: number;
  readonly created: string;
  readonly generation?: number;
  readonly state:
      | "Ready"
      | "Progressing"
      | "Waiting"
      | "Failed"
      | "NotReady"
      | "Deleting"
      | "Unknown"
      | "Stored";
  readonly reason?: string;
  /** The printer columns of the kind, by their keys. */
  readonly columns: { readonly [key: string]: string | number | boolean | null };
  /** Where they are requested. */
  readonly labels?: { readonly [key: string]: string };
}

export interface GetKindsAnswer {
  readonly kinds: readonly {
    /** Plural and group, as in the paths of this API. */
    readonly kind: string;
    /** As in the field `kind` of a resource. */
    readonly name: string;
    readonly plural: string;
    readonly group: string;
    /** The preferred version. */
    readonly version: string;
    readonly versions?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly scope: "Namespaced" | "Cluster";
    readonly isBuiltIn?: boolean;
    /** A reconciler of a module handles it. */
    readonly isReconciled?: boolean;
    /** The verbs that the kind has. */
    readonly verbs: readonly string[];
    /** Those of them that the caller may use. */
    readonly may: readonly string[];
  }[];
}

export interface GetNamesAnswer {
  readonly items: readonly {
    /** Plural and group. */
    readonly kind: string;
    readonly kindName: string;
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly state:
        | "Ready"
        | "Progressing"
        | "Waiting"
        | "Failed"
        | "NotReady"
        | "Deleting"
        | "Unknown"
        | "Stored";
  }[];
  /** All matches, shown or not. */
  readonly total: number;
  readonly revision: number;
}

export interface GetCountsAnswer {
  readonly revision: number;
  readonly kinds: readonly {
    /** Plural and group. */
    readonly kind: string;
    /** As in the field `kind` of a resource. */
    readonly name: string;
    readonly total: number;
    readonly states: {
      readonly Ready?: number;
      readonly Progressing?: number;
      readonly Waiting?: number;
      readonly Failed?: number;
      readonly NotReady?: number;
      readonly Deleting?: number;
      readonly Unknown?: number;
      readonly Stored?: number;
    };
  }[];
}

export interface GetProblemsAnswer {
  readonly revision: number;
  /** Resources that are not ready. */
  readonly total: number;
  readonly groups: readonly {
    readonly kind: string;
    readonly name: string;
    readonly state:
        | "Ready"
        | "Progressing"
        | "Waiting"
        | "Failed"
        | "NotReady"
        | "Deleting"
        | "Unknown"
        | "Stored";
    readonly reason: string;
    readonly count: number;
    readonly message?: string;
    readonly examples: readonly {
      readonly namespace?: string;
      readonly name: string;
    }[];
  }[];
  /** Groups that are not shown. */
  readonly omitted?: number;
}

export interface GetHistoryByKindByNameAnswer {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Older revisions were removed. */
  readonly compactedTo: number;
  readonly revisions: readonly {
    readonly revision: number;
    readonly type: "created" | "updated" | "deleted";
    readonly time: string;
    /** Changes with the spec. */
    readonly generation?: number;
    readonly uid?: string;
    /** Who made the change, and through which surface. */
    readonly cause?: GetHistoryByKindByNameAnswerRevisionsItemCause;
    /** The content of this revision was erased. */
    readonly erased?: boolean;
    /** JSON Pointers of what changed, at most 20. */
    readonly changed?: readonly string[];
  }[];
  /** The cursor of the next page. Absent on the last page. */
  readonly next?: string;
}

export interface GetHistoryByKindByNameAnswerRevisionsItemCause {
  readonly actor?: string;
  readonly surface?: string;
  readonly impersonator?: string;
  readonly traceId?: string;
  readonly correlationId?: string;
}

export interface GetDiffByKindByNameAnswer {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly from: GetDiffByKindByNameAnswerFrom;
  readonly to: GetDiffByKindByNameAnswerFrom;
  readonly changes: readonly GetDiffByKindByNameAnswerChangesItem[];
}

export interface GetDiffByKindByNameAnswerFrom {
  readonly revision?: number;
  readonly time?: string;
  /** The resource did not exist. */
  readonly isAbsent?: boolean;
}

export interface GetDiffByKindByNameAnswerChangesItem {
  readonly kind: "add" | "remove" | "replace";
  /** A JSON Pointer. */
  readonly path: string;
  /** Absent for an added field. */
  readonly old?: Json;
  /** Absent for a removed field. */
  readonly new?: Json;
  /** The values are secret and not shown. */
  readonly isHidden?: boolean;
}

export interface PostRollbackByKindByNameAnswer {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly outcome: "updated" | "unchanged";
  readonly dryRun: boolean;
  /** The revision before. */
  readonly replaced: number;
  /** The new revision; absent for a dry run. */
  readonly revision?: number;
  readonly to: number;
  readonly changes: readonly GetDiffByKindByNameAnswerChangesItem[];
}

export interface PostRollbackByKindByNameBody {
  /** The revision to return to. */
  readonly to: number;
  /** Check everything and show the changes, without writing. */
  readonly dryRun?: boolean;
}

export interface PostEraseAnswer {
  /** The number of revisions that were erased. */
  readonly erased: number;
}

export interface GetChangesAnswer {
  readonly revision: number;
  readonly type: "created" | "updated" | "deleted";
  readonly time: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  /** Who made the change, and through which surface. */
  readonly cause?: GetHistoryByKindByNameAnswerRevisionsItemCause;
  readonly row?: GetResourcesByKindAnswerItemsItem;
}

export interface GetAuditAnswer {
  readonly items: readonly {
    readonly revision: number;
    readonly type: "created" | "updated" | "deleted" | "erased";
    readonly time: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid?: string;
    /** Who made the change, and through which surface. */
    readonly cause?: GetHistoryByKindByNameAnswerRevisionsItemCause;
  }[];
  /** Older records were removed. */
  readonly compactedTo: number;
  /** The cursor of the next page. Absent on the last page. */
  readonly next?: string;
}

export interface GetTimelineAnswer {
  readonly items: readonly {
    readonly revision: number;
    readonly time: string;
    readonly type: "change" | "event";
    readonly outcome:
        | "created"
        | "updated"
        | "deleted"
        | "erased"
        | "normal"
        | "warning";
    /** Of the resource that it is about: plural and group. */
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    /** Of an Event. */
    readonly reason?: string;
    /** Of an Event. */
    readonly message?: string;
    /** How often the Event has occurred. */
    readonly count?: number;
    /** Who made the change, and through which surface. */
    readonly cause?: GetHistoryByKindByNameAnswerRevisionsItemCause;
  }[];
  /** Older entries were removed. */
  readonly compactedTo: number;
  /** The cursor of the next page. Absent on the last page. */
  readonly next?: string;
}

export interface GetSelfInfoAnswer {
  readonly version: string;
  readonly revision?: string;
  readonly builtAt?: string;
}

export interface GetSelfLivelinessAnswer {
  readonly status: "passed" | "failed";
  readonly timestamp: string;
  readonly checks: readonly {
    readonly name: string;
    readonly status?: "passed" | "failed";
    /** The server is not ready while the check fails. */
    readonly required?: boolean;
    /** Why the check fails. */
    readonly description?: string;
    readonly timestamp?: string;
  }[];
}

export interface GetMetricsRecentAnswer {
  readonly scope: "process";
  readonly server: string;
  readonly startedAt?: string;
  /** Of the first step. */
  readonly from: string;
  readonly stepMs: number;
  readonly series: readonly {
    readonly id:
        | "reconcilesPerSecond"
        | "failedPerSecond"
        | "startLatencyP99Seconds"
        | "startLatencyP50Seconds"
        | "due"
        | "running"
        | "requestsPerSecond"
        | "requestErrorsPerSecond"
        | "requestP99Seconds"
        | "requestP50Seconds";
    /** For people. */
    readonly name: string;
    readonly unit: "/s" | "s" | "";
    readonly values: readonly (number | null)[];
  }[];
}

export interface GetReplicationAnswer {
  readonly role: "primary" | "secondary";
  readonly epoch: number;
  readonly at: {
    readonly revision: number;
    readonly held: number;
  };
  readonly lastToken: number;
  /** The address of the primary; empty on a primary. */
  readonly primary: string;
}

export interface GetReplicationShipmentAnswer {
  readonly epoch: number;
  readonly from: {
    readonly revision: number;
    readonly held: number;
  };
  readonly link: string | null;
  readonly rows: readonly JsonObject[];
  readonly to: {
    readonly revision: number;
    readonly held: number;
  };
  readonly lastToken: number;
  readonly head: number;
  readonly atMs: number;
  readonly keyId: string;
  readonly mac: string;
}

export interface PostReplicationDemotionBody {
  /** Its address. */
  readonly primary: string;
  /** Of a primary that has taken over. */
  readonly epoch?: number;
}

/** By the operationId of the OpenAPI document. */
export interface Operations {
  /** List environments. */
  readonly getEnvironments: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all, if you may list all. */
      readonly namespace?: string | undefined;
      /** Only those in this phase, such as DeployedOk. */
      readonly phase?: string | undefined;
      /** Only those of this template. */
      readonly template?: string | undefined;
      /** Tags that it must have, such as team=payments,stage=test. */
      readonly tags?: string | undefined;
      /** The page size. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Create an environment. */
  readonly postEnvironments: {
    readonly path: undefined;
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostEnvironmentsBody;
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Read an environment. */
  readonly getEnvironmentsById: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Replace the spec of an environment. */
  readonly putEnvironmentsById: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PutEnvironmentsByIdBody;
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Change fields of an environment. */
  readonly patchEnvironmentsById: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PatchEnvironmentsByIdBody;
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Delete an environment. */
  readonly deleteEnvironmentsById: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
    readonly isStream: false;
  };
  /** Destroy an environment and keep its record. */
  readonly postEnvironmentsByIdDestroy: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Deploy an environment that was destroyed. */
  readonly postEnvironmentsByIdDeploy: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Move the planned destruction of an environment. */
  readonly postEnvironmentsByIdExtend: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostEnvironmentsByIdExtendBody;
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Accept the drift that was found. */
  readonly postEnvironmentsByIdAcceptDrift: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: {
  /** status.drift.digest. */
  readonly digest: string;
};
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** Plan a deployment, without changing anything. */
  readonly postEnvironmentsByIdPlan: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostEnvironmentsByIdPlanBody;
    readonly answer: PostEnvironmentsByIdPlanAnswer;
    readonly isStream: false;
  };
  /** Cancel the operation that runs. */
  readonly postEnvironmentsByIdCancel: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: {
  /** Do not wait for a graceful end. */
  readonly force?: boolean;
};
    readonly answer: PostEnvironmentsByIdCancelAnswer;
    readonly isStream: false;
  };
  /** Run unfinished resources again, or one resource and its dependants. */
  readonly postEnvironmentsByIdRetry: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostEnvironmentsByIdRetryBody;
    readonly answer: PostEnvironmentsByIdCancelAnswer;
    readonly isStream: false;
  };
  /** Return to an earlier deployment. */
  readonly postEnvironmentsByIdRollback: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: {
  /** The id of its operation. */
  readonly to: string;
};
    readonly answer: PostEnvironmentsByIdCancelAnswer;
    readonly isStream: false;
  };
  /** Run an action of the template. */
  readonly postEnvironmentsByIdActionsByAction: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
      /** The name of an action. */
      readonly action: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEnvironmentsByIdCancelAnswer;
    readonly isStream: false;
  };
  /** Compare an environment with the external systems now. */
  readonly postEnvironmentsByIdCheckDrift: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostEnvironmentsByIdRetryBody;
    readonly answer: PostEnvironmentsByIdCancelAnswer;
    readonly isStream: false;
  };
  /** Repair the drift of an environment. */
  readonly postEnvironmentsByIdReconcileDrift: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostEnvironmentsByIdRetryBody;
    readonly answer: PostEnvironmentsByIdCancelAnswer;
    readonly isStream: false;
  };
  /** Read the dependency graph of an environment. */
  readonly getEnvironmentsByIdGraph: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetEnvironmentsByIdGraphAnswer;
    readonly isStream: false;
  };
  /** Read the output of the executors of an environment as a stream. */
  readonly getEnvironmentsByIdLogs: {
    readonly path: {
      /** The id of an environment. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
      /** Only this key of a resource, or action. */
      readonly resource?: string | undefined;
      /** Wait for further output. */
      readonly follow?: boolean | undefined;
      /** Only output after this revision. */
      readonly after?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetEnvironmentsByIdLogsAnswer;
    readonly isStream: true;
  };
  /** List templates. */
  readonly getTemplates: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all, if you may list all. */
      readonly namespace?: string | undefined;
      /** Only versions of this template. */
      readonly id?: string | undefined;
      /** Tags that it must have, such as team=payments,stage=test. */
      readonly tags?: string | undefined;
      /** The page size. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetTemplatesAnswer;
    readonly isStream: false;
  };
  /** Create a template. */
  readonly postTemplates: {
    readonly path: undefined;
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostTemplatesBody;
    readonly answer: PostTemplatesAnswer;
    readonly isStream: false;
  };
  /** Read a template. */
  readonly getTemplatesById: {
    readonly path: {
      /** The id of a template. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostTemplatesAnswer;
    readonly isStream: false;
  };
  /** Delete a template. */
  readonly deleteTemplatesById: {
    readonly path: {
      /** The id of a template. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
    readonly isStream: false;
  };
  /** List resources of environments. */
  readonly getResources: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all, if you may list all. */
      readonly namespace?: string | undefined;
      /** Only those of this environment. */
      readonly environment?: string | undefined;
      /** Only those in this state. */
      readonly state?: string | undefined;
      /** Tags that it must have, such as team=payments,stage=test. */
      readonly tags?: string | undefined;
      /** The page size. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetResourcesAnswer;
    readonly isStream: false;
  };
  /** List resource groups. */
  readonly getResourceGroups: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all, if you may list all. */
      readonly namespace?: string | undefined;
      /** Only those of this environment. */
      readonly environment?: string | undefined;
      /** Tags that it must have, such as team=payments,stage=test. */
      readonly tags?: string | undefined;
      /** The page size. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetResourceGroupsAnswer;
    readonly isStream: false;
  };
  /** Create a resource group. */
  readonly postResourceGroups: {
    readonly path: undefined;
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostResourceGroupsBody;
    readonly answer: PostResourceGroupsAnswer;
    readonly isStream: false;
  };
  /** Read a resource group. */
  readonly getResourceGroupsById: {
    readonly path: {
      /** The id of a resource group. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostResourceGroupsAnswer;
    readonly isStream: false;
  };
  /** Replace the spec of a resource group. */
  readonly putResourceGroupsById: {
    readonly path: {
      /** The id of a resource group. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PutResourceGroupsByIdBody;
    readonly answer: PostResourceGroupsAnswer;
    readonly isStream: false;
  };
  /** Change fields of a resource group. */
  readonly patchResourceGroupsById: {
    readonly path: {
      /** The id of a resource group. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PatchEnvironmentsByIdBody;
    readonly answer: PostResourceGroupsAnswer;
    readonly isStream: false;
  };
  /** Delete a resource group. */
  readonly deleteResourceGroupsById: {
    readonly path: {
      /** The id of a resource group. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
    readonly isStream: false;
  };
  /** List external resources. */
  readonly getExternalResources: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all, if you may list all. */
      readonly namespace?: string | undefined;
      /** Tags that it must have, such as team=payments,stage=test. */
      readonly tags?: string | undefined;
      /** The page size. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetExternalResourcesAnswer;
    readonly isStream: false;
  };
  /** Create an external resource. */
  readonly postExternalResources: {
    readonly path: undefined;
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostExternalResourcesBody;
    readonly answer: PostExternalResourcesAnswer;
    readonly isStream: false;
  };
  /** Read an external resource. */
  readonly getExternalResourcesById: {
    readonly path: {
      /** The id of an external resource. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostExternalResourcesAnswer;
    readonly isStream: false;
  };
  /** Replace the spec of an external resource. */
  readonly putExternalResourcesById: {
    readonly path: {
      /** The id of an external resource. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PutExternalResourcesByIdBody;
    readonly answer: PostExternalResourcesAnswer;
    readonly isStream: false;
  };
  /** Change fields of an external resource. */
  readonly patchExternalResourcesById: {
    readonly path: {
      /** The id of an external resource. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PatchEnvironmentsByIdBody;
    readonly answer: PostExternalResourcesAnswer;
    readonly isStream: false;
  };
  /** Delete an external resource. */
  readonly deleteExternalResourcesById: {
    readonly path: {
      /** The id of an external resource. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
    readonly isStream: false;
  };
  /** List operations. */
  readonly getOperations: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all, if you may list all. */
      readonly namespace?: string | undefined;
      /** Only those of this environment. */
      readonly environment?: string | undefined;
      /** Only those in this phase, such as Running. */
      readonly phase?: string | undefined;
      /** The page size. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetOperationsAnswer;
    readonly isStream: false;
  };
  /** Read an operation. */
  readonly getOperationsById: {
    readonly path: {
      /** The id of an operation. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEnvironmentsByIdCancelAnswer;
    readonly isStream: false;
  };
  /** Cancel an operation. */
  readonly postOperationsByIdCancel: {
    readonly path: {
      /** The id of an operation. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: {
  readonly force?: boolean;
};
    readonly answer: PostEnvironmentsByIdCancelAnswer;
    readonly isStream: false;
  };
  /** List plans. */
  readonly getPlans: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all, if you may list all. */
      readonly namespace?: string | undefined;
      /** Only those of this environment. */
      readonly environment?: string | undefined;
      /** Only those in this phase, such as Ready. */
      readonly phase?: string | undefined;
      /** The page size. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetPlansAnswer;
    readonly isStream: false;
  };
  /** Read a plan. */
  readonly getPlansById: {
    readonly path: {
      /** The id of a plan. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEnvironmentsByIdPlanAnswer;
    readonly isStream: false;
  };
  /** Delete a plan. */
  readonly deletePlansById: {
    readonly path: {
      /** The id of a plan. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
    readonly isStream: false;
  };
  /** Approve a plan, which is then carried out. */
  readonly postPlansByIdApprove: {
    readonly path: {
      /** The id of a plan. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEnvironmentsAnswer;
    readonly isStream: false;
  };
  /** List rollouts of templates. */
  readonly getTemplateRollouts: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all, if you may list all. */
      readonly namespace?: string | undefined;
      /** Only those in this phase, such as Rolling. */
      readonly phase?: string | undefined;
      /** The page size. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetTemplateRolloutsAnswer;
    readonly isStream: false;
  };
  /** Create a rollout of a template. */
  readonly postTemplateRollouts: {
    readonly path: undefined;
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostTemplateRolloutsBody;
    readonly answer: PostTemplateRolloutsAnswer;
    readonly isStream: false;
  };
  /** Read a rollout of a template. */
  readonly getTemplateRolloutsById: {
    readonly path: {
      /** The id of a rollout of a template. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostTemplateRolloutsAnswer;
    readonly isStream: false;
  };
  /** Change fields of a rollout of a template. */
  readonly patchTemplateRolloutsById: {
    readonly path: {
      /** The id of a rollout of a template. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: PatchEnvironmentsByIdBody;
    readonly answer: PostTemplateRolloutsAnswer;
    readonly isStream: false;
  };
  /** Delete a rollout of a template. */
  readonly deleteTemplateRolloutsById: {
    readonly path: {
      /** The id of a rollout of a template. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace. Default: default. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
    readonly isStream: false;
  };
  /** Search names, descriptions, tags and other texts of environments and their parts. */
  readonly getSearch: {
    readonly path: undefined;
    readonly query: {
      readonly q: string;
      /** Only this type. */
      readonly type?:
          | "environments"
          | "templates"
          | "resources"
          | "resource-groups"
          | "external-resources" | undefined;
      readonly limit?: number | undefined;
      /** Only this namespace. Default: all that you may list. */
      readonly namespace?: string | undefined;
      /** Wait until the index includes this revision, to find your own writes. */
      readonly minRevision?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetSearchAnswer;
    readonly isStream: false;
  };
  /** Find the dependencies or the dependants of a resource, to a depth. */
  readonly getSearchGraphByTypeById: {
    readonly path: {
      /** One of environments, templates, resources, resource-groups, external-resources. */
      readonly type: string;
      /** Its id. */
      readonly id: string;
    };
    readonly query: {
      /** The namespace of the resource. */
      readonly namespace: string;
      readonly direction?: "dependencies" | "dependants" | undefined;
      readonly depth?: number | undefined;
      /**
       * Types of edges, with commas between them: depends-on, belongs-to, made-from. Default: all.
       */
      readonly edges?: string | undefined;
      /** Wait until the index includes this revision, to find your own writes. */
      readonly minRevision?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetSearchGraphByTypeByIdAnswer;
    readonly isStream: false;
  };
  /** Find the shortest path from a dependant to one of its dependencies. */
  readonly getSearchPath: {
    readonly path: undefined;
    readonly query: {
      /** TYPE/NAMESPACE/ID of the dependant. */
      readonly from: string;
      /** TYPE/NAMESPACE/ID of the dependency. */
      readonly to: string;
      /**
       * Types of edges, with commas between them: depends-on, belongs-to, made-from. Default: all.
       */
      readonly edges?: string | undefined;
      /** Wait until the index includes this revision, to find your own writes. */
      readonly minRevision?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetSearchPathAnswer;
    readonly isStream: false;
  };
  /** Read a state of Terraform. */
  readonly getTerraformStateByNamespaceByName: {
    readonly path: {
      /** Namespace of the state. */
      readonly namespace: string;
      /** Name of the TerraformState. */
      readonly name: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: JsonObject;
    readonly isStream: false;
  };
  /** Store a state of Terraform. */
  readonly postTerraformStateByNamespaceByName: {
    readonly path: {
      /** Namespace of the state. */
      readonly namespace: string;
      /** Name of the TerraformState. */
      readonly name: string;
    };
    readonly query: {
      readonly ID?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: undefined;
    readonly isStream: false;
  };
  /** List the versions of a state. */
  readonly getTerraformStateByNamespaceByNameVersions: {
    readonly path: {
      /** Namespace of the state. */
      readonly namespace: string;
      /** Name of the TerraformState. */
      readonly name: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: JsonObject;
    readonly isStream: false;
  };
  /** Store an earlier version as the newest one. */
  readonly postTerraformStateByNamespaceByNameRestore: {
    readonly path: {
      /** Namespace of the state. */
      readonly namespace: string;
      /** Name of the TerraformState. */
      readonly name: string;
    };
    readonly query: undefined;
    readonly body: Json;
    readonly answer: JsonObject;
    readonly isStream: false;
  };
  /** Release the lock of another holder. The audit log records it. */
  readonly postTerraformStateByNamespaceByNameForceUnlock: {
    readonly path: {
      /** Namespace of the state. */
      readonly namespace: string;
      /** Name of the TerraformState. */
      readonly name: string;
    };
    readonly query: undefined;
    readonly body: Json;
    readonly answer: undefined;
    readonly isStream: false;
  };
  /** List the Offerings of a data-plane cluster, for its agent. */
  readonly getAgentClustersByCluster: {
    readonly path: {
      /** The name of the DataPlaneCluster. */
      readonly cluster: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: GetAgentClustersByClusterAnswer;
    readonly isStream: false;
  };
  /** Announce a push to a repository. */
  readonly postGitopsWebhooksByNamespaceByName: {
    readonly path: {
      /** The namespace. */
      readonly namespace: string;
      /** The name of a GitOpsDeployment. */
      readonly name: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
  readonly sources?: number;
};
    readonly isStream: false;
  };
  /** Compare a revision with the objects of the target. */
  readonly getGitopsDeploymentsByNamespaceByNameDiff: {
    readonly path: {
      /** The namespace. */
      readonly namespace: string;
      /** The name of the GitOpsDeployment. */
      readonly name: string;
    };
    readonly query: {
      /** A branch, tag or commit. Default: spec.source.targetRevision. */
      readonly revision?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: JsonObject;
    readonly isStream: false;
  };
  /** Compare the repository and the target of a deployment now. */
  readonly postGitopsDeploymentsByNamespaceByNameRefresh: {
    readonly path: {
      /** The namespace. */
      readonly namespace: string;
      /** The name of the GitOpsDeployment. */
      readonly name: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
  readonly revision?: string;
};
    readonly isStream: false;
  };
  /** Find the commit of a branch, tag or commit in the repository of a deployment. */
  readonly getGitopsDeploymentsByNamespaceByNameRevision: {
    readonly path: {
      /** The namespace. */
      readonly namespace: string;
      /** The name of the GitOpsDeployment. */
      readonly name: string;
    };
    readonly query: {
      /** A branch, tag or commit. */
      readonly revision: string;
    };
    readonly body: undefined;
    readonly answer: {
  readonly commit?: string;
  readonly head?: string;
};
    readonly isStream: false;
  };
  /** Show the objects of a deployment, and below each the objects that it owns. */
  readonly getGitopsDeploymentsByNamespaceByNameTree: {
    readonly path: {
      /** The namespace. */
      readonly namespace: string;
      /** The name of the GitOpsDeployment. */
      readonly name: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: GetGitopsDeploymentsByNamespaceByNameTreeAnswer;
    readonly isStream: false;
  };
  /** List the resources of a kind as rows. */
  readonly getResourcesByKind: {
    readonly path: {
      /** The plural and the group of the kind, such as configmaps or databases.shop.example. */
      readonly kind: string;
    };
    readonly query: {
      /** Only this namespace. Default: all namespaces that you may list. */
      readonly namespace?: string | undefined;
      /**
       * Conditions that must all be true, such as state=Failed,columns.size>=10,labels.tier=gold.
       * The operators are = != < <= > >= and ~ (contains).
       */
      readonly filter?: string | undefined;
      /** A selector of Kubernetes, such as tier in (gold,silver),!deprecated. */
      readonly labelSelector?: string | undefined;
      /** Fields to sort by, such as -created,name. A minus sign means descending. */
      readonly sort?: string | undefined;
      /** The page size. Default: 100. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
      /** Wait until the response includes this revision, to read your own writes. */
      readonly atLeast?: number | undefined;
      /** Show the labels of each row. */
      readonly labels?: boolean | undefined;
    };
    readonly body: undefined;
    readonly answer: GetResourcesByKindAnswer;
    readonly isStream: false;
  };
  /** List the served kinds, and what you may do with them. */
  readonly getKinds: {
    readonly path: undefined;
    readonly query: {
      /** Only this namespace. Default: all namespaces that you may list. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetKindsAnswer;
    readonly isStream: false;
  };
  /** Find resources of all kinds by a part of their name. */
  readonly getNames: {
    readonly path: undefined;
    readonly query: {
      readonly q: string;
      /**
       * Only this kind. The plural and the group of the kind, such as configmaps or
       * databases.shop.example.
       */
      readonly kind?: string | undefined;
      /** Only this namespace. Default: all namespaces that you may list. */
      readonly namespace?: string | undefined;
      /** Include built-in kinds such as configmaps. Has no effect together with `kind`. */
      readonly builtIn?: boolean | undefined;
      /** Wait until the response includes this revision, to read your own writes. */
      readonly atLeast?: number | undefined;
      /** The page size. Default: 20. Maximum: 100. */
      readonly limit?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetNamesAnswer;
    readonly isStream: false;
  };
  /** Count resources by kind and state. */
  readonly getCounts: {
    readonly path: undefined;
    readonly query: {
      /**
       * Only this kind. The plural and the group of the kind, such as configmaps or
       * databases.shop.example.
       */
      readonly kind?: string | undefined;
      /** Only this namespace. Default: all namespaces that you may list. */
      readonly namespace?: string | undefined;
      /** Include built-in kinds such as configmaps. Has no effect together with `kind`. */
      readonly builtIn?: boolean | undefined;
      /** Wait until the response includes this revision, to read your own writes. */
      readonly atLeast?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetCountsAnswer;
    readonly isStream: false;
  };
  /** Group the resources that are not ready by reason. */
  readonly getProblems: {
    readonly path: undefined;
    readonly query: {
      /**
       * Only this kind. The plural and the group of the kind, such as configmaps or
       * databases.shop.example.
       */
      readonly kind?: string | undefined;
      /** Only this namespace. Default: all namespaces that you may list. */
      readonly namespace?: string | undefined;
      /** Include built-in kinds such as configmaps. Has no effect together with `kind`. */
      readonly builtIn?: boolean | undefined;
      /** Wait until the response includes this revision, to read your own writes. */
      readonly atLeast?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetProblemsAnswer;
    readonly isStream: false;
  };
  /** List the revisions of a resource, newest first. */
  readonly getHistoryByKindByName: {
    readonly path: {
      /** The plural and the group of the kind, such as configmaps or databases.shop.example. */
      readonly kind: string;
      /** The name of the resource. */
      readonly name: string;
    };
    readonly query: {
      /** The namespace of the resource. Omit it for cluster-wide kinds. */
      readonly namespace?: string | undefined;
      /** The page size. Default: 20. Maximum: 100. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetHistoryByKindByNameAnswer;
    readonly isStream: false;
  };
  /** Show what differs between two revisions of a resource. */
  readonly getDiffByKindByName: {
    readonly path: {
      /** The plural and the group of the kind, such as configmaps or databases.shop.example. */
      readonly kind: string;
      /** The name of the resource. */
      readonly name: string;
    };
    readonly query: {
      /** The namespace of the resource. Omit it for cluster-wide kinds. */
      readonly namespace?: string | undefined;
      /** The older revision. Default: the one before `to`. */
      readonly from?: number | undefined;
      /** The newer revision. Default: the newest. */
      readonly to?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetDiffByKindByNameAnswer;
    readonly isStream: false;
  };
  /** Write the content of an earlier revision as a new revision. */
  readonly postRollbackByKindByName: {
    readonly path: {
      /** The plural and the group of the kind, such as configmaps or databases.shop.example. */
      readonly kind: string;
      /** The name of the resource. */
      readonly name: string;
    };
    readonly query: {
      /** The namespace of the resource. Omit it for cluster-wide kinds. */
      readonly namespace?: string | undefined;
    };
    readonly body: PostRollbackByKindByNameBody;
    readonly answer: PostRollbackByKindByNameAnswer;
    readonly isStream: false;
  };
  /** Erase the secrets of deleted resources from the history. */
  readonly postErase: {
    readonly path: undefined;
    readonly query: {
      /** Only resources of this namespace. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEraseAnswer;
    readonly isStream: false;
  };
  /** Erase every state of a resource but the current one. */
  readonly postEraseByKindByName: {
    readonly path: {
      /** The plural and the group of the kind, such as configmaps or databases.shop.example. */
      readonly kind: string;
      /** The name of the resource. */
      readonly name: string;
    };
    readonly query: {
      /** The namespace of the resource. Omit it for cluster-wide kinds. */
      readonly namespace?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: PostEraseAnswer;
    readonly isStream: false;
  };
  /** Follow the changes of resources as a stream. */
  readonly getChanges: {
    readonly path: undefined;
    readonly query: {
      /**
       * Only this kind. The plural and the group of the kind, such as configmaps or
       * databases.shop.example.
       */
      readonly kind?: string | undefined;
      /** Only this namespace. */
      readonly namespace?: string | undefined;
      /** Only resources with this name. */
      readonly name?: string | undefined;
      /** Only these kinds, with commas between them, instead of `kind`. */
      readonly kinds?: string | undefined;
      /**
       * Items have the field `row`, as in `/api/v1/resources/{kind}`, unless the resource was
       * deleted.
       */
      readonly rows?: boolean | undefined;
      /** Only changes after this revision. */
      readonly after?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetChangesAnswer;
    readonly isStream: true;
  };
  /** List who changed what, newest first. */
  readonly getAudit: {
    readonly path: undefined;
    readonly query: {
      /**
       * Only this kind. The plural and the group of the kind, such as configmaps or
       * databases.shop.example.
       */
      readonly kind?: string | undefined;
      /** Only this namespace. */
      readonly namespace?: string | undefined;
      /** Only resources with this name. */
      readonly name?: string | undefined;
      /** Only changes by this user. */
      readonly actor?: string | undefined;
      /** Only changes through this surface, such as kube. */
      readonly surface?: string | undefined;
      /** Only changes of this type: created, updated, deleted or erased. */
      readonly type?: "created" | "updated" | "deleted" | "erased" | undefined;
      /** Only changes at this time or later, such as 2026-01-31T08:00:00Z. */
      readonly since?: string | undefined;
      /** Only changes before this time. */
      readonly until?: string | undefined;
      /** Only changes of this trace. */
      readonly traceId?: string | undefined;
      /** The page size. Default: 100. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetAuditAnswer;
    readonly isStream: false;
  };
  /** List changes and Events together, newest first. */
  readonly getTimeline: {
    readonly path: undefined;
    readonly query: {
      /**
       * Only about resources of this kind. The plural and the group of the kind, such as configmaps
       * or databases.shop.example.
       */
      readonly kind?: string | undefined;
      /** Only this namespace. */
      readonly namespace?: string | undefined;
      /** Only about resources with this name. */
      readonly name?: string | undefined;
      /** Only changes by this user. */
      readonly actor?: string | undefined;
      /** `users` leaves out what the server itself has written, such as statuses. */
      readonly by?: "users" | "all" | undefined;
      /** Only this: created, updated, deleted, erased; normal or warning Events. */
      readonly outcome?:
          | "created"
          | "updated"
          | "deleted"
          | "erased"
          | "normal"
          | "warning" | undefined;
      /** Only changes of this trace. */
      readonly trace?: string | undefined;
      /** Only at this time or later. */
      readonly from?: string | undefined;
      /** Only before this time. */
      readonly to?: string | undefined;
      /** The page size. Default: 100. Maximum: 1000. */
      readonly limit?: number | undefined;
      /** The value of `next` in the previous page. */
      readonly cursor?: string | undefined;
    };
    readonly body: undefined;
    readonly answer: GetTimelineAnswer;
    readonly isStream: false;
  };
  /** Read version, revision and build time of the server. */
  readonly getSelfInfo: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: GetSelfInfoAnswer;
    readonly isStream: false;
  };
  /** Read the time of the server. */
  readonly getSelfPing: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
  readonly timestamp: string;
};
    readonly isStream: false;
  };
  /** Read whether the process works, and the state of all dependencies. */
  readonly getSelfLiveliness: {
    readonly path: undefined;
    readonly query: {
      /** `summary` lists the names of the checks, `detailed` also their results. */
      readonly type?: "summary" | "detailed" | undefined;
    };
    readonly body: undefined;
    readonly answer: GetSelfLivelinessAnswer;
    readonly isStream: false;
  };
  /** Read whether the server can do its work. */
  readonly getSelfReadiness: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: GetSelfLivelinessAnswer;
    readonly isStream: false;
  };
  /** Read when the server started. */
  readonly getSelfStarted: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
  readonly timestamp: string;
};
    readonly isStream: false;
  };
  /** Read the numbers of the last hour of this server process. */
  readonly getMetricsRecent: {
    readonly path: undefined;
    readonly query: {
      readonly minutes?: number | undefined;
      /** The length of a step in seconds, rounded to a multiple of 5. */
      readonly step?: number | undefined;
    };
    readonly body: undefined;
    readonly answer: GetMetricsRecentAnswer;
    readonly isStream: false;
  };
  /** Read the role, the epoch and the place of the store. */
  readonly getReplication: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: GetReplicationAnswer;
    readonly isStream: false;
  };
  /** Read what whole commits wrote after a place. */
  readonly getReplicationShipment: {
    readonly path: undefined;
    readonly query: {
      /** The revision of the secondary. */
      readonly revision: number;
      /** Its place in the log of names. */
      readonly held: number;
    };
    readonly body: undefined;
    readonly answer: GetReplicationShipmentAnswer;
    readonly isStream: false;
  };
  /** Read the whole store, to fill a secondary. */
  readonly getReplicationDump: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: JsonObject;
    readonly isStream: true;
  };
  /** Make this store a secondary, for a planned switch. */
  readonly postReplicationDemotion: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: PostReplicationDemotionBody;
    readonly answer: GetReplicationAnswer;
    readonly isStream: false;
  };
  /** Read the OpenAPI 3.1 document of this API. */
  readonly getOpenapiJson: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: JsonObject;
    readonly isStream: false;
  };
  /** Read this documentation as a page. */
  readonly getDoc: {
    readonly path: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: string;
    readonly isStream: false;
  };
}

/** Where each operation is. */
export const operations = {
  getEnvironments: { method: "GET", path: "/api/v1/environments" },
  postEnvironments: { method: "POST", path: "/api/v1/environments" },
  getEnvironmentsById: { method: "GET", path: "/api/v1/environments/{id}" },
  putEnvironmentsById: { method: "PUT", path: "/api/v1/environments/{id}" },
  patchEnvironmentsById: { method: "PATCH", path: "/api/v1/environments/{id}" },
  deleteEnvironmentsById: { method: "DELETE", path: "/api/v1/environments/{id}" },
  postEnvironmentsByIdDestroy: { method: "POST", path: "/api/v1/environments/{id}/destroy" },
  postEnvironmentsByIdDeploy: { method: "POST", path: "/api/v1/environments/{id}/deploy" },
  postEnvironmentsByIdExtend: { method: "POST", path: "/api/v1/environments/{id}/extend" },
  postEnvironmentsByIdAcceptDrift: {
    method: "POST",
    path: "/api/v1/environments/{id}/accept-drift",
  },
  postEnvironmentsByIdPlan: { method: "POST", path: "/api/v1/environments/{id}/plan" },
  postEnvironmentsByIdCancel: { method: "POST", path: "/api/v1/environments/{id}/cancel" },
  postEnvironmentsByIdRetry: { method: "POST", path: "/api/v1/environments/{id}/retry" },
  postEnvironmentsByIdRollback: { method: "POST", path: "/api/v1/environments/{id}/rollback" },
  postEnvironmentsByIdActionsByAction: {
    method: "POST",
    path: "/api/v1/environments/{id}/actions/{action}",
  },
  postEnvironmentsByIdCheckDrift: {
    method: "POST",
    path: "/api/v1/environments/{id}/check-drift",
  },
  postEnvironmentsByIdReconcileDrift: {
    method: "POST",
    path: "/api/v1/environments/{id}/reconcile-drift",
  },
  getEnvironmentsByIdGraph: { method: "GET", path: "/api/v1/environments/{id}/graph" },
  getEnvironmentsByIdLogs: { method: "GET", path: "/api/v1/environments/{id}/logs" },
  getTemplates: { method: "GET", path: "/api/v1/templates" },
  postTemplates: { method: "POST", path: "/api/v1/templates" },
  getTemplatesById: { method: "GET", path: "/api/v1/templates/{id}" },
  deleteTemplatesById: { method: "DELETE", path: "/api/v1/templates/{id}" },
  getResources: { method: "GET", path: "/api/v1/resources" },
  getResourceGroups: { method: "GET", path: "/api/v1/resource-groups" },
  postResourceGroups: { method: "POST", path: "/api/v1/resource-groups" },
  getResourceGroupsById: { method: "GET", path: "/api/v1/resource-groups/{id}" },
  putResourceGroupsById: { method: "PUT", path: "/api/v1/resource-groups/{id}" },
  patchResourceGroupsById: { method: "PATCH", path: "/api/v1/resource-groups/{id}" },
  deleteResourceGroupsById: { method: "DELETE", path: "/api/v1/resource-groups/{id}" },
  getExternalResources: { method: "GET", path: "/api/v1/external-resources" },
  postExternalResources: { method: "POST", path: "/api/v1/external-resources" },
  getExternalResourcesById: { method: "GET", path: "/api/v1/external-resources/{id}" },
  putExternalResourcesById: { method: "PUT", path: "/api/v1/external-resources/{id}" },
  patchExternalResourcesById: { method: "PATCH", path: "/api/v1/external-resources/{id}" },
  deleteExternalResourcesById: { method: "DELETE", path: "/api/v1/external-resources/{id}" },
  getOperations: { method: "GET", path: "/api/v1/operations" },
  getOperationsById: { method: "GET", path: "/api/v1/operations/{id}" },
  postOperationsByIdCancel: { method: "POST", path: "/api/v1/operations/{id}/cancel" },
  getPlans: { method: "GET", path: "/api/v1/plans" },
  getPlansById: { method: "GET", path: "/api/v1/plans/{id}" },
  deletePlansById: { method: "DELETE", path: "/api/v1/plans/{id}" },
  postPlansByIdApprove: { method: "POST", path: "/api/v1/plans/{id}/approve" },
  getTemplateRollouts: { method: "GET", path: "/api/v1/template-rollouts" },
  postTemplateRollouts: { method: "POST", path: "/api/v1/template-rollouts" },
  getTemplateRolloutsById: { method: "GET", path: "/api/v1/template-rollouts/{id}" },
  patchTemplateRolloutsById: { method: "PATCH", path: "/api/v1/template-rollouts/{id}" },
  deleteTemplateRolloutsById: { method: "DELETE", path: "/api/v1/template-rollouts/{id}" },
  getSearch: { method: "GET", path: "/api/v1/search" },
  getSearchGraphByTypeById: { method: "GET", path: "/api/v1/search/graph/{type}/{id}" },
  getSearchPath: { method: "GET", path: "/api/v1/search/path" },
  getTerraformStateByNamespaceByName: {
    method: "GET",
    path: "/api/v1/terraform-state/{namespace}/{name}",
  },
  postTerraformStateByNamespaceByName: {
    method: "POST",
    path: "/api/v1/terraform-state/{namespace}/{name}",
  },
  getTerraformStateByNamespaceByNameVersions: {
    method: "GET",
    path: "/api/v1/terraform-state/{namespace}/{name}/versions",
  },
  postTerraformStateByNamespaceByNameRestore: {
    method: "POST",
    path: "/api/v1/terraform-state/{namespace}/{name}/restore",
  },
  postTerraformStateByNamespaceByNameForceUnlock: {
    method: "POST",
    path: "/api/v1/terraform-state/{namespace}/{name}/force-unlock",
  },
  getAgentClustersByCluster: { method: "GET", path: "/api/v1/agent-clusters/{cluster}" },
  postGitopsWebhooksByNamespaceByName: {
    method: "POST",
    path: "/api/v1/gitops/webhooks/{namespace}/{name}",
  },
  getGitopsDeploymentsByNamespaceByNameDiff: {
    method: "GET",
    path: "/api/v1/gitops/deployments/{namespace}/{name}/diff",
  },
  postGitopsDeploymentsByNamespaceByNameRefresh: {
    method: "POST",
    path: "/api/v1/gitops/deployments/{namespace}/{name}/refresh",
  },
  getGitopsDeploymentsByNamespaceByNameRevision: {
    method: "GET",
    path: "/api/v1/gitops/deployments/{namespace}/{name}/revision",
  },
  getGitopsDeploymentsByNamespaceByNameTree: {
    method: "GET",
    path: "/api/v1/gitops/deployments/{namespace}/{name}/tree",
  },
  getResourcesByKind: { method: "GET", path: "/api/v1/resources/{kind}" },
  getKinds: { method: "GET", path: "/api/v1/kinds" },
  getNames: { method: "GET", path: "/api/v1/names" },
  getCounts: { method: "GET", path: "/api/v1/counts" },
  getProblems: { method: "GET", path: "/api/v1/problems" },
  getHistoryByKindByName: { method: "GET", path: "/api/v1/history/{kind}/{name}" },
  getDiffByKindByName: { method: "GET", path: "/api/v1/diff/{kind}/{name}" },
  postRollbackByKindByName: { method: "POST", path: "/api/v1/rollback/{kind}/{name}" },
  postErase: { method: "POST", path: "/api/v1/erase" },
  postEraseByKindByName: { method: "POST", path: "/api/v1/erase/{kind}/{name}" },
  getChanges: { method: "GET", path: "/api/v1/changes" },
  getAudit: { method: "GET", path: "/api/v1/audit" },
  getTimeline: { method: "GET", path: "/api/v1/timeline" },
  getSelfInfo: { method: "GET", path: "/api/v1/self/info" },
  getSelfPing: { method: "GET", path: "/api/v1/self/ping" },
  getSelfLiveliness: { method: "GET", path: "/api/v1/self/liveliness" },
  getSelfReadiness: { method: "GET", path: "/api/v1/self/readiness" },
  getSelfStarted: { method: "GET", path: "/api/v1/self/started" },
  getMetricsRecent: { method: "GET", path: "/api/v1/metrics/recent" },
  getReplication: { method: "GET", path: "/api/v1/replication" },
  getReplicationShipment: { method: "GET", path: "/api/v1/replication/shipment" },
  getReplicationDump: { method: "GET", path: "/api/v1/replication/dump" },
  postReplicationDemotion: { method: "POST", path: "/api/v1/replication/demotion" },
  getOpenapiJson: { method: "GET", path: "/api/v1/openapi.json" },
  getDoc: { method: "GET", path: "/api/v1/doc" },
} as const;
