// Put in by the build.
declare const __VERSION__: string;
declare const __WORKER__: URL;
