export declare const contentSecurityPolicy: string;
export declare function serve(options?: {
  folder?: string;
  port?: number;
  isolated?: boolean;
}): Promise<{ address: string; close: () => Promise<void> }>;
