// Reports to the daemon which permissions a page asks for, and that it is to be printed. Runs in the page's own world before its scripts. The reporting function
// is removed from the window, so the page cannot find it. A forged report deceives only the page's own session.
(() => {
  const tell = globalThis.__gbrowseAsks;
  if (!tell) return;
  delete globalThis.__gbrowseAsks;

  /**
   * Replace the method `name` of `owner` by one that reports what each call asks for. `requestsOf`: returns that for the call's first
   * argument: names of permissions, or "print".
   */
  const reportCalls = (owner, name, requestsOf) => {
    if (typeof owner?.[name] !== 'function') return;
    /** Report what a call asks for, then call `method` on `self` with `args`. Return its result. */
    const apply = (method, self, args) => {
      for (const request of requestsOf(args[0])) tell(request);
      return Reflect.apply(method, self, args);
    };
    owner[name] = new Proxy(owner[name], { apply });
  };

  reportCalls(globalThis, 'print', () => ['print']);
  if (!isSecureContext) return; // no command can grant permissions there

  const { Clipboard, Geolocation, IdleDetector, MediaDevices, Navigator, Notification } = globalThis;
  /** Return which of "camera" and "microphone" a call of `getUserMedia` asks for. `wanted`: its constraints. */
  const permissionsForDevices = (wanted) => [wanted?.video && 'camera', wanted?.audio && 'microphone'].filter(Boolean);
  reportCalls(Clipboard?.prototype, 'read', () => ['clipboard-read']);
  reportCalls(Clipboard?.prototype, 'readText', () => ['clipboard-read']);
  reportCalls(Geolocation?.prototype, 'getCurrentPosition', () => ['geolocation']);
  reportCalls(Geolocation?.prototype, 'watchPosition', () => ['geolocation']);
  reportCalls(IdleDetector, 'requestPermission', () => ['idle-detection']);
  reportCalls(MediaDevices?.prototype, 'getUserMedia', permissionsForDevices);
  reportCalls(Navigator?.prototype, 'requestMIDIAccess', () => ['midi']);
  reportCalls(Notification, 'requestPermission', () => ['notifications']);
  reportCalls(globalThis, 'getScreenDetails', () => ['window-management']);
  reportCalls(globalThis, 'queryLocalFonts', () => ['local-fonts']);
})();
