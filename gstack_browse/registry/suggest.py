"""Suggest the command, the nearest name or the most similar line that was meant. Pure."""

from collections.abc import Iterable
from itertools import islice

_OURS = {
    "click <target>": "toggle tap press-button click-element mouse-click submit",
    "check <target>": "tick setchecked",
    "uncheck <target>": "untick",
    "click <target> --double": "doubleclick click2",
    "click <target> --button right": "rightclick contextmenu",
    "fill <target> <value>": "input set setvalue enter fillinput",
    "type --into <target> <text>": "typeinto presssequentially sendkeysto",
    "fill <target> ''": "clear clearinput empty erase",
    "type <text>": "inserttext keyboardtype sendtext write",
    "press <key>": "presskey keypress sendkey sendkeys keyboard hotkey",
    "select <target> <value>": "selectoption choose dropdown selectdropdown",
    "hover <target>": "mouseover",
    "drag <target> <target>": "dragto draganddrop dragdrop dnd swipe",
    "drop <target> <file>": "dropfile dropfiles",
    "mouse move 120,340": "move movemouse",
    "mouse wheel 0,300": "wheel",
    "select-text <target>": "highlight selectall",
    "scroll <target>": "scrollto scrollintoviewifneeded",
    "scroll <target> down 300": "scrollelement scrollpane scrollby",
    "scroll up": "scrollup",
    "scroll down": "scrolldown",
    "upload <target> <file>": "setinputfiles fileupload uploadfile setfiles",
    "goto <url>": "nav visit go load browse openurl navigateto start launch",
    "back": "historyback navigateback",
    "forward": "historyforward navigateforward",
    "reload": "refresh",
    "url": "geturl location currenturl href address where",
    "text <target>' or 'value <target>": "get",
    "text [<target>]": "gettext textcontent innertext extract pagetext cat",
    "html [<target>]": "content source pagesource outerhtml innerhtml gethtml markup dom",
    "snapshot -i": "tree elements interactive state inspect axtree aria ariasnapshot observe",
    "snapshot --find <word>": "find search grep query locate",
    "attrs <target>": "attribute attributes getattribute attr",
    "css <target> <property>": "style computedstyle getcomputedstyle",
    "is visible <target>": "visible isvisible exists",
    "expect visible <target>": "assert verify should assertvisible expectvisible tobevisible",
    "expect text <pattern>": "asserttext expecttext verifytext tohavetext tocontaintext",
    "is checked <target>": "checked ischecked",
    "is enabled <target>": "enabled isenabled",
    "js <expression>": "evaluate exec execute script runcode runscript javascript",
    "title": "gettitle pagetitle",
    "value <target>": "getvalue inputvalue val",
    "locator <target>": "getlocator getselector selector xpath csspath",
    "count <selector>": "getcount howmany",
    "box <target>": "getbox boundingbox rect getrect bounds",
    "wait <target>": "waitfor waitforselector waitforelement",
    "wait <ms>": "sleep delay pause",
    "wait --url <glob>": "waitforurl waitfornavigation",
    "wait --text <text>": "waitfortext",
    "wait --load": "waitforload waitforloadstate",
    "wait --networkidle": "waitfornetworkidle networkidle",
    "screenshot": "capture picture shot takescreenshot screencap snap image",
    "pdf": "print savepdf printpdf",
    "viewport <WxH>": "setviewport setviewportsize resizewindow windowsize",
    "emulate --color-scheme dark": "darkmode dark colorscheme emulatemedia setmedia",
    "emulate --geo <lat,lon>": "geo geolocation setgeo setgeolocation",
    "emulate --grant <names>": "grant permissions grantpermissions",
    "emulate --offline on": "offline setoffline",
    "emulate --timezone <zone>": "timezone settimezone",
    "emulate --locale <tag>": "locale setlocale",
    "tabs": "ls list listtabs pages listpages windows",
    "newtab [<url>]": "new opentab newpage",
    "tab <n>": "switch switchtab selecttab activate bringtofront",
    "closetab [<n>]": "closepage",
    "closetab' or 'stop": "close",
    "stop": "quit exit kill shutdown closebrowser",
    "frame <target>": "iframe switchframe frames",
    "console": "logs log consolelogs consolemessages",
    "network": "networkrequests har traffic",
    "route <glob> --body <text>": "mock stub intercept fulfill mockrequest interceptrequest fakeresponse",
    "route <glob> --abort": "block abort blockurls blockrequest",
    "throttle slow-3g": "slow slowdown networkconditions emulatenetwork emulatenetworkconditions emulatecpu cputhrottle",
    "har-replay <file>": "replay routefromhar replayhar",
    "cookies": "cookie getcookies",
    "storage": "localstorage sessionstorage",
    "dialog-accept [<text>]": "accept acceptdialog alertaccept handledialog prompt",
    "dialog-dismiss": "dismiss dismissdialog alertdismiss",
    "dialog-hold": "hold",
    "chain": "multi sequence steps",
    "status": "ping health info",
}
"""Ours, and what others call it, without case, hyphens and underscores."""
_BY_WORD = {word.replace("-", ""): ours for ours, words in _OURS.items() for word in words.split()}


def find_equivalent(word: str) -> str:
    """Return our call for another tool's command: `doubleclick` → `click <target> --double`; "" for none."""
    return _BY_WORD.get(word.casefold().replace("-", "").replace("_", ""), "")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the one of the `known` words that is most similar to `word`, ignoring case; "" if none is."""
    import difflib  # late: local commands wait for this module

    by_fold = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold()[:100], by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else ""


MOST_COMPARED = 400
_LONGEST = 100


def find_most_similar(wanted: str, lines: Iterable[str]) -> str:
    """Return the line most similar to the text `wanted`; "" if none is similar.

    A line that contains the text, or is contained in it, is preferred to any that only resembles it.
    """
    import difflib

    words = wanted.casefold()[:_LONGEST]
    by_fold: dict[str, str] = {}
    for line in islice(lines, MOST_COMPARED):
        by_fold.setdefault(line.casefold()[:_LONGEST], line)
    if words in by_fold:
        return by_fold[words]
    for fold, line in by_fold.items():
        if words and (words in fold or (len(fold) > 2 and fold in words)):
            return line
    close = difflib.get_close_matches(words, by_fold, n=1, cutoff=0.5)
    return by_fold[close[0]] if close else ""
