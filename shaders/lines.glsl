// Lines with round ends as instanced rectangles; the edge is computed, one pixel wide at any zoom.
// Colours in and out are linear light, premultiplied on output.

#ifdef VERTEX
layout(location = 0) in vec4 ends;    // x0, y0, x1, y1 [m]
layout(location = 1) in float width;  // [pixel]
layout(location = 2) in vec4 colour;

uniform vec2 camera_centre;      // [m]
uniform vec2 camera_turn = vec2(1.0, 0.0);  // cosine and sine of the angle by which the table is drawn tilted
uniform float metres_per_pixel;
uniform vec2 framebuffer;        // [pixel]

out vec2 place;                  // along and across the line, from its first end [pixel]
flat out float reach;            // length of the line [pixel]
flat out float half_width;       // [pixel]
flat out vec4 paint;

vec2 turned(vec2 way) {
    return vec2(dot(camera_turn, way), dot(vec2(-camera_turn.y, camera_turn.x), way));
}

void main() {
    vec2 first = turned(ends.xy - camera_centre) / metres_per_pixel;
    vec2 second = turned(ends.zw - camera_centre) / metres_per_pixel;
    reach = length(second - first);
    vec2 along = reach > 0.0 ? (second - first) / reach : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    half_width = max(0.5 * width, 0.5);
    float margin = half_width + 1.0;
    place = vec2((gl_VertexID & 1) == 1 ? reach + margin : -margin, (gl_VertexID >> 1) == 1 ? margin : -margin);
    gl_Position = vec4((first + along * place.x + across * place.y) * 2.0 / framebuffer, 0.0, 1.0);
    // A line thinner than a pixel is drawn one pixel wide with less opacity.
    paint = colour * vec4(1.0, 1.0, 1.0, 0.5 * width / half_width);
}
#endif

#ifdef FRAGMENT
in vec2 place;
flat in float reach;
flat in float half_width;
flat in vec4 paint;

out vec4 light;

void main() {
    float distance = length(vec2(place.x - clamp(place.x, 0.0, reach), place.y));
    float alpha = clamp(half_width - distance + 0.5, 0.0, 1.0) * paint.a;
    if (alpha <= 0.0) discard;
    light = vec4(paint.rgb * alpha, alpha);
}
#endif
