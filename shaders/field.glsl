// Cells of a field in a plane, each with the colours of its four corners between which the colour is interpolated.
// Colours in are linear light with opacity, premultiplied on output.

#ifdef VERTEX
layout(location = 0) in vec3 corner;   // [m]; in the plane the third component is not used
layout(location = 1) in vec3 along;    // from the corner to its two neighbours [m]
layout(location = 2) in vec3 up;
layout(location = 3) in vec4 colour[4]; // at the corner, along, up, opposite

uniform float in_space;                // 1 in space, 0 in the plane
uniform vec2 camera_centre;            // [m]
uniform vec2 camera_turn = vec2(1.0, 0.0);  // cosine and sine of the angle by which the table is drawn tilted
uniform float metres_per_pixel;
uniform vec2 framebuffer;              // [pixel]
uniform mat4 world_to_view;
uniform mat4 view_to_clip;

out vec2 place;                        // in the cell, 0 to 1
flat out vec4 corners[4];

vec2 turned(vec2 way) {
    return vec2(dot(camera_turn, way), dot(vec2(-camera_turn.y, camera_turn.x), way));
}

void main() {
    place = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec3 world = corner + place.x * along + place.y * up;
    vec2 pixel = turned(world.xy - camera_centre) / (in_space > 0.5 ? 1.0 : metres_per_pixel);
    vec4 plane = vec4(pixel * 2.0 / framebuffer, 0.0, 1.0);
    gl_Position = in_space > 0.5 ? view_to_clip * world_to_view * vec4(world, 1.0) : plane;
    corners = colour;
}
#endif

#ifdef FRAGMENT
in vec2 place;
flat in vec4 corners[4];

out vec4 light;

void main() {
    vec4 paint = mix(mix(corners[0], corners[1], place.x), mix(corners[2], corners[3], place.x), place.y);
    light = vec4(paint.rgb * paint.a, paint.a);
}
#endif
