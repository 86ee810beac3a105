"""Serve a task's site with the same data and words, but other ids, classes, boxes and order.

All pages of the sites are built by two functions of `static/app.js`, so the design is changed there: as a next release would.
Two classes stay: one that a script looks for, and one that makes a list scroll.
"""

from tests.evals.sites.site import Site

CHANGES = {
    'element.className = classes.join(" ");': (
        'element.className = classes.map((each) => each === "primary" || each === "viewport" ? each : `${each}-q7`).join(" ");'
    ),
    "element.append(...children": "element.append(...redesigned(element, children",
    "place.replaceChildren(...children": "place.replaceChildren(...redesigned(place, children",
    "false));\n  return element;": "false)));\n  return element;",
    "false));\n}\n\nexport class Refusal": """false)));
}

/** The children in two boxes each where they are controls, and in the opposite order where they are all alike. */
function redesigned(parent, children) {
  const elements = children.filter((child) => child instanceof Element);
  const isList = elements.length > 1 && elements.length === children.length &&
    elements.every((child) => child.tagName === elements[0].tagName) && !/^(TD|TH|OPTION)$/.test(elements[0].tagName);
  const ordered = isList && /^(TBODY|UL|OL|NAV|FORM|DIV|FIELDSET)$/.test(parent.tagName) ? children.toReversed() : children;
  if (!/^(DIV|MAIN|SECTION|FORM|ARTICLE|HEADER|FOOTER|NAV)$/.test(parent.tagName)) return ordered;
  return ordered.map((child) => {
    if (!(child instanceof Element) || !/^(BUTTON|INPUT|SELECT|TEXTAREA|A|LABEL)$/.test(child.tagName)) return child;
    const [outer, inner] = [document.createElement("div"), document.createElement("div")];
    inner.append(child);
    outer.append(inner);
    return outer;
  });
}

export class Refusal""",
    "`f-${label": "`next-${label.length}-${label",
}


def redesigned(site: Site) -> Site:
    """Give a site another design."""
    marks = site.marks
    site.marks = lambda: {**marks(), **CHANGES}  # type: ignore[method-assign]
    return site
